// Script of a model, in the same form for every provider. Names and inputs of calls are the harness's own.
import type { JsonObject } from '@signalbox/core'

export interface NativeToolCall {
  /** Absent: the server makes one up (`call_1`, `call_2`, …). */
  readonly id?: string
  readonly name: string
  /** Codex calls tools of MCP servers by a namespace (`mcp__server`); only the Responses protocol has it. Absent: none. */
  readonly namespace?: string
  /** A string is the raw input of a free-form tool, such as Codex's apply_patch; only the Responses protocol has such tools. */
  readonly input: JsonObject | string
}

export interface TokenCount {
  readonly input: number
  readonly output: number
}

export type ScriptedTurn =
  /** Text and no call: the agent wants to stop. */
  | { readonly say: string; readonly tokens?: TokenCount }
  /** Calls of one step, after the text `say` if given. */
  | {
      readonly calls: readonly NativeToolCall[]
      readonly say?: string
      readonly tokens?: TokenCount
    }
  /** The provider answers with this HTTP status in place of a turn. */
  | { readonly status: number }

export interface ModelRequest {
  /** 0 for the first request that asks for a turn. */
  readonly index: number
  /** Every text that the model received: system, user, its own calls, tool results. */
  readonly text: string
  readonly body: JsonObject
}

/** Turns in order, or a model that reads its input, and may keep the agent waiting. */
export type ModelScript =
  | readonly ScriptedTurn[]
  | ((request: ModelRequest) => ScriptedTurn | Promise<ScriptedTurn>)

/** Text of the model when its script has ended, so that the agent stops. */
export const AFTER_SCRIPT = 'The script has ended.'

export async function takeScriptedTurn(
  script: ModelScript,
  request: ModelRequest,
): Promise<ScriptedTurn> {
  if (typeof script === 'function') return script(request)
  return script[request.index] ?? { say: AFTER_SCRIPT }
}

export const DEFAULT_TOKENS: TokenCount = { input: 100, output: 10 }
