// Verdicts on calls until they run. A harness that makes several calls in one step has all of them judged before the first one runs, so that no
// call can satisfy another of its step; a verdict holds for the call that was judged and for no other.
import type { HarnessSession, HarnessVerdict } from './harness-session.ts'
import type { NativeCall } from './native-call.ts'

export interface JudgedCall {
  readonly call: NativeCall
  readonly verdict: HarnessVerdict
}

interface Entry extends JudgedCall {
  readonly args: string
}

export class VerdictBook {
  readonly #session: Pick<HarnessSession, 'before'>
  readonly #entries = new Map<string, Entry>()

  constructor(session: Pick<HarnessSession, 'before'>) {
    this.#session = session
  }

  /** Evaluates the call now, regardless of earlier verdicts. `args`: the text that must be the same when it runs. Never rejects. */
  async judge(call: NativeCall, args = toText(call.input)): Promise<HarnessVerdict> {
    const verdict = await this.#session.before(call)
    // Without an id, a later call cannot be recognized as the same one.
    if (call.callId !== undefined) this.#entries.set(call.callId, { call, args, verdict })
    return verdict
  }

  /**
   * The verdict on this tool with exactly these arguments; evaluates now when there is none, because the arguments were changed or the call
   * was not evaluated. Never rejects.
   */
  async verdictOn(call: NativeCall, args = toText(call.input)): Promise<HarnessVerdict> {
    const entry = call.callId === undefined ? undefined : this.#entries.get(call.callId)
    const isSame = entry?.args === args && entry.call.tool === call.tool
    return isSame ? entry.verdict : await this.judge(call, args)
  }

  /** Must be called when the call runs or has ended: an id may come again. */
  forget(callId: string | undefined): void {
    if (callId !== undefined) this.#entries.delete(callId)
  }

  /** Evaluated calls that have not been removed. */
  judged(): readonly JudgedCall[] {
    return [...this.#entries.values()]
  }
}

/** Taken when the call is judged, because the object may be changed afterwards. */
function toText(input: unknown): string {
  return JSON.stringify(input) ?? ''
}
