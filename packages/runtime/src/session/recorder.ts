// Makes events: sequence numbers, time that never goes back, the hash chain. One recorder per session; writes before it
// returns.
import { createHash } from 'node:crypto'
import type { EventOf, EventType, SessionEvent } from '@signalbox/core'
import { canonicalJson, parseEventLine } from '@signalbox/wire'
import { GuardrailError } from '../base/guardrail-error.ts'

export interface RecorderOptions {
  readonly session: string
  /** Digest of the config version in force at the beginning; null without one. */
  readonly config: string | null
  readonly now: () => number
  /** W3C traceparent that every event bears; null: not traced. */
  readonly trace: string | null
  /** Must have stored the line when it returns, or throw. */
  readonly write: (line: string) => void
  /** The last event of a resumed session; null: the session begins. */
  readonly after: SessionEvent | null
}

export class Recorder {
  readonly #options: RecorderOptions
  #config: string | null
  #seq = 0
  #at = 0
  #prev: string | null = null

  constructor(options: RecorderOptions) {
    this.#options = options
    this.#config = options.config
    if (options.after !== null) this.#follow(options.after)
  }

  get seq(): number {
    return this.#seq
  }

  /** Digest of the version in force; null: none is. */
  get config(): string | null {
    return this.#config
  }

  /**
   * The next event, not yet written: facts are looked up for it first. `config`: the version that it puts in force, which every event
   * after it names.
   */
  draft<Type extends EventType>(
    type: Type,
    data: EventOf<Type>['data'],
    config: string | null = this.#config,
  ): EventOf<Type> {
    const { session, now, trace } = this.#options
    const event = {
      session,
      seq: this.#seq + 1,
      at: Math.max(this.#at, Math.trunc(now())),
      type,
      data,
      ...(config === null ? {} : { config }),
      ...(trace === null ? {} : { trace }),
      ...(this.#prev === null ? {} : { prev: this.#prev }),
    }
    // The envelope is the same for every event and `data` belongs to `type`; TypeScript cannot verify that through the generic union.
    return event as unknown as EventOf<Type>
  }

  /**
   * Writes a drafted event and returns it as written: what is evaluated is what was recorded, independently of the objects that it was made
   * from. Throws, and changes nothing, when it could not be written, or when it is not an event that every server accepts: a line refused
   * later would be a gap in the log.
   */
  commit(draft: { readonly seq: number; readonly at: number }): SessionEvent {
    const line = JSON.stringify(draft)
    const parsed = parseEventLine(line)
    if (!parsed.ok) throw invalid(parsed.problem)
    if (!parsed.known)
      throw invalid({ pointer: '/type', message: 'This event type cannot be recorded.' })
    const { event } = parsed
    this.#options.write(line)
    this.#follow(event)
    return event
  }

  #follow(event: SessionEvent): void {
    this.#seq = event.seq
    this.#at = event.at
    this.#config = event.config ?? null
    this.#prev = hashRecorded(event)
  }
}

/** Same as eventHash of wire, by the platform's own SHA-256, which is several times faster. */
export function hashRecorded(event: SessionEvent): string {
  return createHash('sha256').update(canonicalJson(event)).digest('hex')
}

function invalid({ pointer, message }: { readonly pointer: string; readonly message: string }) {
  return new GuardrailError('event_invalid', `The event is not valid at "${pointer}": ${message}`)
}
