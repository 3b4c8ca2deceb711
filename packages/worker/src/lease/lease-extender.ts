// Only ongoing work keeps a message (specs/leases.md). Extension is an optimization: a failure is reported and never stops the work.
import { LEASE_DEFAULTS } from '@signalbox/core/lint'
import type { OnDiagnostic } from '@signalbox/runtime/base'
import { describeError } from '@signalbox/runtime/base'
import type { Heartbeat } from './heartbeat.ts'
import type { LeaseLog } from './lease-log.ts'
import { ReceiptHandleExpiredError } from './receipt-handle-expired-error.ts'

export interface LeasedMessage {
  readonly id: string
  /** Epoch milliseconds on the extender's clock; never later than the true end of the lease. */
  readonly leaseUntil: number
  /** Makes the lease end at least `seconds` from now. Rejects with ReceiptHandleExpiredError when it has already ended. */
  extendVisibility(seconds: number): Promise<void>
}

export interface LeaseExtenderOptions {
  /** Minimum time between two extensions, in seconds. Default 60. */
  readonly interval?: number
  /** Duration of the lease after an extension, in seconds. Default 300. */
  readonly extension?: number
  /** false: beats do not extend leases. Default true. */
  readonly enabled?: boolean
  /** Epoch milliseconds; absent: the system's clock. */
  readonly now?: () => number
  readonly report?: OnDiagnostic
  readonly log?: LeaseLog
}

/** Ends with `detach`, or with the scope of `using`. */
export interface Attachment {
  /** Beats no longer extend the lease. Resolves when a running extension has ended; never rejects. */
  detach(): Promise<void>
  [Symbol.dispose](): void
}

type Settings = Required<Omit<LeaseExtenderOptions, 'report' | 'log'>> &
  Pick<LeaseExtenderOptions, 'report' | 'log'>

export class LeaseExtender {
  readonly #settings: Settings
  #held: HeldLease | null = null

  constructor(options: LeaseExtenderOptions = {}) {
    this.#settings = {
      interval: LEASE_DEFAULTS.interval,
      extension: LEASE_DEFAULTS.extension,
      enabled: true,
      now: Date.now,
      ...options,
    }
  }

  /**
   * The first beat extends immediately, later ones at most once per `interval`; none shortens a lease. Throws `LeaseExtender already attached`
   * while another attachment exists.
   */
  attach(message: LeasedMessage, heartbeat: Heartbeat): Attachment {
    if (this.#held !== null) throw new Error('LeaseExtender already attached')
    const held = new HeldLease(message, this.#settings)
    const unsubscribe = heartbeat.onBeat(() => held.onBeat())
    this.#held = held
    const detach = () => {
      unsubscribe()
      if (this.#held === held) this.#held = null
      return held.end()
    }
    return { detach, [Symbol.dispose]: () => void detach() }
  }

  /** Attaches while `work` runs. Settles like `work`, after a running extension has ended. */
  async during<Result>(
    message: LeasedMessage,
    heartbeat: Heartbeat,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const attachment = this.attach(message, heartbeat)
    try {
      return await work()
    } finally {
      await attachment.detach()
    }
  }
}

/** States: holding, then over for good (detached, or the lease has ended). At most one extension runs at a time. */
class HeldLease {
  readonly #message: LeasedMessage
  readonly #settings: Settings
  #isOver = false
  #lastExtendedAt: number | null = null
  #underWay: Promise<void> | null = null

  constructor(message: LeasedMessage, settings: Settings) {
    this.#message = message
    this.#settings = settings
  }

  onBeat(): void {
    if (this.#isOver || this.#underWay !== null || !this.#isDue()) return
    this.#underWay = this.#extend().finally(() => {
      this.#underWay = null
    })
  }

  async end(): Promise<void> {
    this.#isOver = true
    await this.#underWay
  }

  #isDue(): boolean {
    const { enabled, interval, extension, now } = this.#settings
    if (!enabled) return false
    const at = now()
    const since = this.#lastExtendedAt === null ? null : at - this.#lastExtendedAt
    // A clock that was set back must not delay extensions until it has caught up.
    if (since !== null && since >= 0 && since < interval * 1000) return false
    return this.#message.leaseUntil <= at + extension * 1000
  }

  async #extend(): Promise<void> {
    const { extension, now, report, log } = this.#settings
    const at = now()
    try {
      await this.#message.extendVisibility(extension)
      this.#lastExtendedAt = at
    } catch (error) {
      const expired = ReceiptHandleExpiredError.is(error)
      report?.({
        level: expired ? 'warning' : 'error',
        code: expired ? 'lease_expired' : 'lease_extension_failed',
        message: describeError(error),
      })
      if (!expired) return
      this.#isOver = true
      await this.#record(() => log?.expired(describeError(error)))
      return
    }
    // A queue with a fixed lease length grants more than requested.
    const seconds = Math.round((this.#message.leaseUntil - at) / 1000)
    await this.#record(() => log?.extended(seconds))
  }

  async #record(write: () => void | Promise<void>): Promise<void> {
    try {
      await write()
    } catch (error) {
      this.#settings.report?.({
        level: 'error',
        code: 'lease_log_failed',
        message: `The lease log failed: ${describeError(error)}`,
      })
    }
  }
}
