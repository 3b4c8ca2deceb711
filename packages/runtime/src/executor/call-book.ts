// Writes each finished call into the session's log of calls, exactly once, and before the feedback of that call is made:
// whoever learns of the end first says so, the executor or the guardrails.
import type { ToolInvoked as InvokedData, JsonValue, ToolOutcome } from '@signalbox/core'
import { ToolInvoked } from '../state/built-in-slices.ts'
import { frozenJson } from '../state/frozen-json.ts'
import type { Session } from '../state/session.ts'

export interface OpenCall {
  readonly tool: string
  readonly args: unknown
  /** As the tool's schema gives them. */
  readonly params: unknown
}

export interface CallEnd {
  readonly outcome: ToolOutcome
  /** null: none. */
  readonly value: unknown
  /** Text for the agent. */
  readonly message: string
}

interface Entry {
  readonly call: OpenCall
  readonly written: boolean
}

export interface CallBookParts {
  readonly session: Session
  readonly promptName: string
  readonly now: () => number
}

export class CallBook {
  readonly #parts: CallBookParts
  readonly #entries = new Map<string, Entry>()

  constructor(parts: CallBookParts) {
    this.#parts = parts
  }

  get(callId: string): OpenCall | null {
    return this.#entries.get(callId)?.call ?? null
  }

  open(callId: string, call: OpenCall): void {
    this.#entries.set(callId, { call, written: false })
  }

  /** Of a call that was opened here. */
  finish(callId: string, end: CallEnd): void {
    const entry = this.#entries.get(callId)
    if (entry !== undefined && !entry.written) this.#write(callId, entry.call, end)
  }

  /** Of any call, as the guardrails were told of its end. */
  observe({ call_id: callId, tool, outcome, output, error }: InvokedData): void {
    const entry = this.#entries.get(callId)
    if (entry?.written) return
    const call = entry?.call ?? { tool, args: null, params: null }
    this.#write(callId, call, { outcome, value: output ?? null, message: error ?? '' })
  }

  close(callId: string): void {
    this.#entries.delete(callId)
  }

  /** Finished calls of the prompt so far. */
  get count(): number {
    const calls = this.#parts.session.slice(ToolInvoked).all()
    return calls.findLast(({ promptName }) => promptName === this.#parts.promptName)?.callIndex ?? 0
  }

  #write(callId: string, call: OpenCall, { outcome, value, message }: CallEnd): void {
    this.#entries.set(callId, { call, written: true })
    const { session, promptName, now } = this.#parts
    session.dispatch(
      ToolInvoked({
        callId,
        tool: call.tool,
        args: jsonOf(call.args),
        outcome,
        value: outcome === 'success' ? jsonOf(value) : null,
        message,
        promptName,
        callIndex: this.count + 1,
        at: now(),
      }),
    )
  }
}

/** What JSON cannot hold is not in the log. */
export function jsonOf(value: unknown): JsonValue {
  try {
    const text = JSON.stringify(value)
    return text === undefined ? null : frozenJson<JsonValue>(JSON.parse(text), 'tool_invoked')
  } catch {
    return null
  }
}
