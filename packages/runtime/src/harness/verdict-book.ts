import type { HarnessSession, HarnessVerdict } from './harness-session.ts'
import type { NativeCall } from './native-call.ts'

export interface JudgedCall {
  readonly call: NativeCall
  readonly verdict: HarnessVerdict
}

interface Entry extends JudgedCall {
  readonly args: string
}

/** All calls of a step are evaluated before the first one runs, so that no call can satisfy another of its step. */
export class VerdictBook {
  readonly #session: Pick<HarnessSession, 'before'>
  readonly #entries = new Map<string, Entry>()

  constructor(session: Pick<HarnessSession, 'before'>) {
    this.#session = session
  }

  /** Regardless of earlier verdicts. `args`: input as text, which must be the same when the call runs. Never rejects. */
  async judge(call: NativeCall, args = toText(call.input)): Promise<HarnessVerdict> {
    const verdict = await this.#session.before(call)
    // Without an id, a later call cannot be recognized as the same one.
    if (call.callId !== undefined) this.#entries.set(call.callId, { call, args, verdict })
    return verdict
  }

  /** Evaluates now if there is no verdict on exactly these arguments. Never rejects. */
  async verdictOn(call: NativeCall, args = toText(call.input)): Promise<HarnessVerdict> {
    const entry = call.callId === undefined ? undefined : this.#entries.get(call.callId)
    const isSame = entry?.args === args && entry.call.tool === call.tool
    return isSame ? entry.verdict : await this.judge(call, args)
  }

  /** Call this when the call runs or ends, because an id may come again. */
  forget(callId: string | undefined): void {
    if (callId !== undefined) this.#entries.delete(callId)
  }

  judged(): readonly JudgedCall[] {
    return [...this.#entries.values()]
  }
}

/** Serializes at evaluation, because the object may change afterwards. */
function toText(input: unknown): string {
  return JSON.stringify(input) ?? ''
}
