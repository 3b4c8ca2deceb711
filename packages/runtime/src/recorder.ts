// Makes events: sequence numbers, time that never goes back, the hash chain. One recorder per session; writes before it
// returns.
import type { EventOf, EventType } from '@signalbox/core'
import { eventHash } from '@signalbox/wire'

export interface RecorderOptions {
  readonly session: string
  /** Digest of the config version in force; null without one. */
  readonly config: string | null
  readonly now: () => number
  /** Must have stored the line when it returns, or throw. */
  readonly write: (line: string) => void
}

export class Recorder {
  readonly #options: RecorderOptions
  #seq = 0
  #at = 0
  #prev: string | null = null

  constructor(options: RecorderOptions) {
    this.#options = options
  }

  get seq(): number {
    return this.#seq
  }

  /** The next event, not yet written: facts are looked up for it first. */
  draft<Type extends EventType>(type: Type, data: EventOf<Type>['data']): EventOf<Type> {
    const { session, config, now } = this.#options
    const event = {
      session,
      seq: this.#seq + 1,
      at: Math.max(this.#at, now()),
      type,
      data,
      ...(config === null ? {} : { config }),
      ...(this.#prev === null ? {} : { prev: this.#prev }),
    }
    // The envelope is that of every event and `data` is that of `type`; TypeScript cannot see through the generic union.
    return event as unknown as EventOf<Type>
  }

  /** Writes a drafted event. Throws, and changes nothing, when it could not be written. */
  commit(event: { readonly seq: number; readonly at: number }): void {
    this.#options.write(JSON.stringify(event))
    this.#seq = event.seq
    this.#at = event.at
    this.#prev = eventHash(event)
  }
}
