import { GuardrailError } from '@signalbox/runtime/base'

const MIN_AHEAD_MS = 1000
const ZONED = /(?:Z|[+-]\d{2}:?\d{2})$/i

export interface DeadlineOptions {
  /** Epoch milliseconds. Absent: the system clock. */
  readonly now?: () => number
  /** Start of the work, epoch milliseconds. Absent: now. */
  readonly startedAt?: number
}

/** Text without a time zone is refused, because it would mean different instants on different machines. */
export class Deadline {
  /** Epoch milliseconds, whole. */
  readonly at: number
  readonly startedAt: number
  readonly #now: () => number

  /** `at`: a Date, epoch milliseconds, or ISO 8601 text with a zone. Throws GuardrailError `bad_options` unless it is at least one second ahead. */
  constructor(at: Date | number | string, options: DeadlineOptions = {}) {
    this.#now = options.now ?? Date.now
    this.at = toEpochMs(at)
    this.startedAt = options.startedAt ?? this.#now()
    if (this.remaining() <= 0)
      throw new GuardrailError('bad_options', 'The deadline has passed. Use a time in the future.')
    if (this.remaining() < MIN_AHEAD_MS)
      throw new GuardrailError(
        'bad_options',
        'The deadline must be at least one second in the future.',
      )
  }

  static inSeconds(seconds: number, options: DeadlineOptions = {}): Deadline {
    return new Deadline((options.now ?? Date.now)() + seconds * 1000, options)
  }

  /** Milliseconds left; negative once it has passed. */
  remaining(): number {
    return this.at - this.#now()
  }

  /** Milliseconds since the work began. */
  elapsed(): number {
    return this.#now() - this.startedAt
  }

  get passed(): boolean {
    return this.remaining() <= 0
  }
}

function toEpochMs(at: Date | number | string): number {
  if (typeof at === 'string' && !ZONED.test(at))
    throw new GuardrailError(
      'bad_options',
      `The deadline "${at}" has no time zone. Add one, for example "Z" or "+02:00".`,
    )
  const instant = typeof at === 'number' ? at : new Date(at).getTime()
  if (!Number.isFinite(instant))
    throw new GuardrailError('bad_options', `The deadline "${String(at)}" is not a point in time.`)
  return Math.trunc(instant)
}
