import type { JsonValue, SessionEvent } from '@signalbox/core'

export interface PastRun {
  /** Blocked stops since the last call, without structured outputs, by agent; the main agent is ''. */
  readonly blocksInRow: ReadonlyMap<string, number>
  /** Structured outputs offered in this run, by agent. */
  readonly offered: ReadonlyMap<string, number>
  /** Output, or else last message, at the main agent's last stop attempt. Absent: none. */
  readonly lastOutput?: JsonValue
  readonly mayStop: boolean
  readonly hasAccepted: boolean
  /** Ids of ended calls, oldest end first. */
  readonly endedCalls: ReadonlySet<string>
}

type Attempt = Extract<SessionEvent, { readonly type: 'stop.attempted' }>['data']

const MAIN = ''

/** Note from which a resumed session learns of the output. Logs contain this text, so it must not change. */
export const OUTPUT_ACCEPTED = 'The harness took the structured output; the run ends with it.'

export class PastRunReader {
  readonly #blocks = new Map<string, number>()
  readonly #offered = new Map<string, number>()
  readonly #ended = new Set<string>()
  #attempt: Attempt | null = null
  #lastOutput: JsonValue | undefined
  #mayStop = false
  #hasAccepted = false

  get result(): PastRun {
    return {
      blocksInRow: this.#blocks,
      offered: this.#offered,
      mayStop: this.#mayStop,
      hasAccepted: this.#hasAccepted,
      endedCalls: this.#ended,
      ...(this.#lastOutput === undefined ? {} : { lastOutput: this.#lastOutput }),
    }
  }

  read(event: SessionEvent): void {
    switch (event.type) {
      case 'tool.requested':
        // The call may be of the same step or of a new run. The log does not show which, and evaluating one stop too many is safe.
        this.#hasAccepted = false
        this.#mayStop = false
        this.#blocks.delete(event.data.agent ?? MAIN)
        break
      case 'tool.invoked':
        this.#ended.add(event.data.call_id)
        break
      case 'stop.attempted':
        this.#attempted(event.data)
        break
      case 'note':
        if (event.data.text === OUTPUT_ACCEPTED) this.#hasAccepted = true
        break
      case 'stop.decided':
        this.#decided(event.data.verdict === 'blocked' || event.data.verdict === 'error')
        break
      default:
        break
    }
  }

  #attempted(attempt: Attempt): void {
    this.#attempt = attempt
    if (attempt.via === 'final') return
    this.#hasAccepted = false
    this.#mayStop = false
    const { agent = MAIN, output, last_message: message } = attempt
    if (attempt.via === 'structured_output')
      this.#offered.set(agent, (this.#offered.get(agent) ?? 0) + 1)
    if (agent === MAIN) this.#lastOutput = output ?? message
  }

  #decided(isRefused: boolean): void {
    const { via, agent = MAIN } = this.#attempt ?? { via: 'final' }
    if (via === 'final') return
    if (isRefused && via !== 'structured_output')
      this.#blocks.set(agent, (this.#blocks.get(agent) ?? 0) + 1)
    if (agent !== MAIN || via !== 'turn_end') return
    this.#mayStop = !isRefused
    if (isRefused) return
    // The log does not show the user's prompts, so events after an allowed stop count as a new run.
    this.#blocks.clear()
    this.#offered.clear()
  }
}
