import { randomUUID } from 'node:crypto'
import { type JsonObject, type JsonValue, omitUndefined } from '@signalbox/core'
import type { FinishedCall } from '@signalbox/runtime'
import {
  describeError,
  type HarnessVerdict,
  type NativeCall,
  type NativeResult,
} from '@signalbox/runtime/harness'
import { finishedIn, verdictIn } from './mcp-hooks.ts'
import type { CallGate } from './mcp-proxy.ts'

export interface HookGateOptions {
  /** Sends one payload to the daemon and returns its JSON answer. Rejects if there is none. */
  readonly ask: (payload: JsonObject) => Promise<unknown>
  /** Proxies with the same name share the session. */
  readonly session: string
  /** Absolute folder for the paths in file rules. */
  readonly cwd: string
  /** Called with a message if the daemon could not be reached. */
  readonly onTrouble?: (message: string) => void
}

const UNREADABLE = 'The answer of the Signalbox daemon could not be read, so this call is refused.'
const WITHHELD = 'Result withheld: the Signalbox daemon could not record it.'
/** Without the daemon's answer, no rule inspected the result. */
const UNINSPECTED: FinishedCall = {
  feedback: null,
  replaced: { output: WITHHELD, error: WITHHELD },
}
const ENDED = 'The session has ended.'

/** Several proxies of one client share a session. Every failure refuses the call with the reason. */
export class HookGate implements CallGate {
  readonly #options: HookGateOptions
  readonly #proxy = randomUUID()
  #hasEnded = false

  constructor(options: HookGateOptions) {
    this.#options = options
  }

  /** Joins the session, which lasts until its last proxy has left. Never rejects. */
  async begin(): Promise<void> {
    await this.#tell({ kind: 'begun' })
  }

  async before(call: NativeCall): Promise<HarnessVerdict> {
    if (this.#hasEnded) return { allowed: false, text: ENDED }
    try {
      const answer = await this.#ask({ kind: 'tool.before', ...toMcpCallFields(call) })
      return verdictIn(answer) ?? { allowed: false, text: UNREADABLE }
    } catch (error) {
      const text = `${describeInSentence(error)} So this call is refused.`
      this.#options.onTrouble?.(text)
      return { allowed: false, text }
    }
  }

  async finish(result: NativeResult): Promise<FinishedCall> {
    if (this.#hasEnded) return UNINSPECTED
    const { outcome, output, error, durationMs } = result
    const answer = await this.#tell({
      kind: 'tool.after',
      ...toMcpCallFields(result),
      outcome,
      ...omitUndefined({
        output: output === undefined ? undefined : asJson(output),
        error,
        duration_ms: durationMs,
      }),
    })
    return answer === null ? UNINSPECTED : finishedIn(answer)
  }

  async end(ended: { readonly reason: 'completed' | 'failed' | 'aborted' }): Promise<void> {
    if (this.#hasEnded) return
    this.#hasEnded = true
    await this.#tell({ kind: 'ended', reason: ended.reason })
  }

  async #tell(words: JsonObject): Promise<unknown> {
    try {
      return await this.#ask(words)
    } catch (error) {
      this.#options.onTrouble?.(describeInSentence(error))
      return null
    }
  }

  #ask(words: JsonObject): Promise<unknown> {
    const { ask, session, cwd } = this.#options
    return ask({ v: 1, session, proxy: this.#proxy, cwd, ...words })
  }
}

function toMcpCallFields({ tool, input, callId }: NativeCall): JsonObject {
  return {
    tool,
    input: asJson(input),
    ...omitUndefined({ call_id: callId }),
  }
}

/** Every value received as a message of the protocol is JSON. */
function asJson(value: unknown): JsonValue {
  return (value ?? null) as JsonValue
}

function describeInSentence(error: unknown): string {
  const message = describeError(error)
  return message.endsWith('.') ? message : `${message}.`
}
