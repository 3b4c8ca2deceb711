// Script of a model, in the same form for every provider. Names and inputs of calls are the harness's own.
import type { JsonObject } from '@signalbox/core'

export interface NativeToolCall {
  /** Absent: the server generates one (`call_1`, `call_2`, …). */
  readonly id?: string
  readonly name: string
  /** Namespace by which Codex calls tools of MCP servers (`mcp__server`); only for the Responses API. Absent: none. */
  readonly namespace?: string
  /** A string is the raw input of a free-form tool, such as Codex's apply_patch; only for the Responses API. */
  readonly input: JsonObject | string
}

export interface TokenCount {
  readonly input: number
  readonly output: number
}

export type ScriptedTurn =
  /** Text without calls: the agent wants to stop. */
  | { readonly say: string; readonly tokens?: TokenCount }
  /** Calls of one step, after the text `say` if given. */
  | {
      readonly calls: readonly NativeToolCall[]
      readonly say?: string
      readonly tokens?: TokenCount
    }
  /** The provider answers with this HTTP status instead of a turn. */
  | { readonly status: number }

export interface ModelRequest {
  /** 0: the first request that uses a turn. */
  readonly index: number
  /** Every text that the model received: system, user, its own calls, tool results. */
  readonly text: string
  readonly body: JsonObject
}

/** Turns in order, or a function that reads each request and may delay its turn. */
export type ModelScript =
  | readonly ScriptedTurn[]
  | ((request: ModelRequest) => ScriptedTurn | Promise<ScriptedTurn>)

/** Text after the end of a script, so that the agent stops. */
export const AFTER_SCRIPT = 'The script has ended.'

export async function takeScriptedTurn(
  script: ModelScript,
  request: ModelRequest,
): Promise<ScriptedTurn> {
  if (typeof script === 'function') return script(request)
  return script[request.index] ?? { say: AFTER_SCRIPT }
}

export const DEFAULT_TOKENS: TokenCount = { input: 100, output: 10 }
