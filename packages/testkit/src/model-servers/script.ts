// Names and inputs of calls are the harness's own.
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
  | { readonly say: string; readonly tokens?: TokenCount }
  | {
      readonly calls: readonly NativeToolCall[]
      readonly say?: string
      readonly tokens?: TokenCount
    }
  | { readonly status: number }

export interface ModelRequest {
  readonly index: number
  /** Every text that the model received: system, user, its own calls, tool results. */
  readonly text: string
  readonly body: JsonObject
}

export type ModelScript =
  | readonly ScriptedTurn[]
  | ((request: ModelRequest) => ScriptedTurn | Promise<ScriptedTurn>)

export const AFTER_SCRIPT = 'The script has ended.'

export async function takeScriptedTurn(
  script: ModelScript,
  request: ModelRequest,
): Promise<ScriptedTurn> {
  if (typeof script === 'function') return script(request)
  return script[request.index] ?? { say: AFTER_SCRIPT }
}

export const DEFAULT_TOKENS: TokenCount = { input: 100, output: 10 }
