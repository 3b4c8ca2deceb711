// Executor and guardrails both report the end of a call. The first report counts, so that each call is written exactly once.
import type {
  ToolInvoked as InvokedData,
  JsonValue,
  SessionEvent,
  ToolOutcome,
} from '@signalbox/core'
import { ToolInvoked } from '../state/built-in-slices.ts'
import { frozenJson } from '../state/frozen-json.ts'
import type { Session } from '../state/session.ts'

export interface OpenCall {
  readonly tool: string
  readonly args: unknown
  readonly params: unknown
}

export interface CallEnd {
  readonly outcome: ToolOutcome
  /** null: none. */
  readonly value: unknown
  readonly message: string
}

interface Entry {
  readonly call: OpenCall
  /** Reason of the denial; empty: not denied, or not decided yet. */
  readonly denial: string
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
    this.#entries.set(callId, { call, denial: '', written: false })
  }

  finish(callId: string, end: CallEnd): void {
    const entry = this.#entries.get(callId)
    if (entry !== undefined && !entry.written) this.#write(callId, entry, end)
  }

  observe({ call_id: callId, tool, outcome, output, error }: InvokedData): void {
    const call = { tool, args: null, params: null }
    const entry = this.#entries.get(callId) ?? { call, denial: '', written: false }
    if (entry.written) return
    const message = error ?? (outcome === 'denied' ? entry.denial : formatOutput(output))
    this.#write(callId, entry, { outcome, value: output ?? null, message })
  }

  follow(event: SessionEvent): void {
    switch (event.type) {
      case 'tool.requested': {
        const { call_id: callId, tool, args } = event.data
        if (!this.#entries.has(callId)) this.open(callId, { tool, args, params: args })
        break
      }
      case 'tool.decided': {
        const entry = this.#entries.get(event.data.call_id)
        if (entry === undefined) break
        this.#entries.set(event.data.call_id, { ...entry, denial: event.data.reason ?? '' })
        break
      }
      case 'tool.invoked':
        this.observe(event.data)
        this.close(event.data.call_id)
        break
      default:
        break
    }
  }

  close(callId: string): void {
    this.#entries.delete(callId)
  }

  get count(): number {
    const { session, promptName } = this.#parts
    const [last] = session.slice(ToolInvoked).recent(1, (call) => call.promptName === promptName)
    return last?.callIndex ?? 0
  }

  #write(callId: string, entry: Entry, { outcome, value, message }: CallEnd): void {
    this.#entries.set(callId, { ...entry, written: true })
    const { session, promptName, now } = this.#parts
    session.dispatch(
      ToolInvoked({
        callId,
        tool: entry.call.tool,
        args: toLoggedJson(entry.call.args),
        outcome,
        value: outcome === 'success' ? toLoggedJson(value) : null,
        message,
        promptName,
        callIndex: this.count + 1,
        at: now(),
      }),
    )
  }
}

function formatOutput(output: JsonValue | undefined): string {
  if (output === undefined) return ''
  return typeof output === 'string' ? output : JSON.stringify(output)
}

/** JSON for the log; null for a value that JSON cannot represent. */
export function toLoggedJson(value: unknown): JsonValue {
  try {
    const text = JSON.stringify(value)
    return text === undefined ? null : frozenJson<JsonValue>(JSON.parse(text), 'tool_invoked')
  } catch {
    return null
  }
}
