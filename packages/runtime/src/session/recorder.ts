// Time never goes back, and events are written before a method returns.
import { createHash } from 'node:crypto'
import type { EventOf, EventType, SessionEvent } from '@signalbox/core'
import { canonicalJson, parseEventLine } from '@signalbox/wire'
import { GuardrailError } from '../base/guardrail-error.ts'

export interface RecorderOptions {
  readonly session: string
  /** Digest of the config version in force at the start; null: none. */
  readonly config: string | null
  readonly now: () => number
  /** W3C traceparent of every event; null: not traced. */
  readonly trace: string | null
  /** Must store the line before it returns, or throw. */
  readonly write: (line: string) => void
  /** Last event of a resumed session; null: the session is new. */
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

  /** Not written yet, because facts are looked up first. `config`: digest of the version that the event puts in force, which every later event names. */
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
   * Returns the event as written, so that the evaluated event is the recorded one even if its source objects change. Throws, and changes nothing,
   * if it cannot be written or a server would not accept it: a line refused later would be a gap in the log.
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

/** Same result as `eventHash` of wire, by Node's own SHA-256, which is several times faster. */
export function hashRecorded(event: SessionEvent): string {
  return createHash('sha256').update(canonicalJson(event)).digest('hex')
}

function invalid({ pointer, message }: { readonly pointer: string; readonly message: string }) {
  return new GuardrailError('event_invalid', `The event is not valid at "${pointer}": ${message}`)
}
