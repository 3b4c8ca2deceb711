// Drops nothing: a message is acknowledged, returned for a retry, or moved to the dead letters (specs/leases.md).

import type { OnDiagnostic } from '@signalbox/runtime/base'
import { awaitedSleep, backoffMs, describeError, GuardrailError } from '@signalbox/runtime/base'
import { Heartbeat } from '../lease/heartbeat.ts'
import { LeaseExtender } from '../lease/lease-extender.ts'
import { ReceiptHandleExpiredError } from '../lease/receipt-handle-expired-error.ts'
import type { Mailbox, Message } from '../mailbox/mailbox.ts'
import { DeadLetterRule, type DeadLetterSettings } from './dead-letter-rule.ts'
import { type LeaseTimes, loopSettings, retryDelaySeconds } from './loop-settings.ts'
import { MessageLeaseLog } from './message-lease-log.ts'
import { type Handle, type LoopReply, type Outcome, supervise } from './supervise.ts'

const WAIT_SECONDS = 20

export interface MainLoopOptions<Body, Output> {
  readonly mailbox: Mailbox<Body, LoopReply<Output>>
  /** Rejects to have the message retried later, according to `deadLetters`. */
  readonly handle: Handle<Body, Output>
  readonly lease?: LeaseTimes
  /** Condition for a failed message to become a dead letter. Absent: its fifth delivery. */
  readonly deadLetters?: DeadLetterSettings
  /** false: beats do not extend leases. Default true. */
  readonly extendLeases?: boolean
  /** Epoch milliseconds, the mailbox's clock; absent: the system's clock. */
  readonly now?: () => number
  readonly report?: OnDiagnostic
}

export interface StopOptions {
  /** Time for the current message to finish, in seconds. Default 30. */
  readonly graceSeconds?: number
}

/** A loop runs once, and accepts no more messages while it stops. Several loops on one mailbox share its messages. */
export class MainLoop<Body = unknown, Output = unknown> {
  /** Beats whenever the loop requests a message, and with every beat of a handler; for a `Watchdog`. */
  readonly heartbeat: Heartbeat
  readonly #options: MainLoopOptions<Body, Output>
  readonly #times: Required<LeaseTimes>
  readonly #deadLetters: DeadLetterRule
  readonly #now: () => number
  readonly #report: OnDiagnostic
  readonly #stopping = new AbortController()
  readonly #halting = new AbortController()
  #running: Promise<void> | null = null

  /** Throws `bad_options`, also when the times contradict each other. */
  constructor(options: MainLoopOptions<Body, Output>) {
    this.#options = options
    this.#times = loopSettings(options.lease ?? {})
    this.#now = options.now ?? Date.now
    this.#report = options.report ?? (() => undefined)
    this.#deadLetters = new DeadLetterRule(options.deadLetters ?? {})
    this.heartbeat = new Heartbeat({ now: this.#now, report: this.#report })
  }

  /** Retries a failing mailbox with a delay. Rejects only with `bad_options`, when the mailbox refuses the loop's options. */
  async run(): Promise<void> {
    if (this.#running !== null) throw new Error('MainLoop already running')
    this.#running = this.#loop()
    await this.#running
  }

  /** Accepts no more messages. Resolves when the current message is finished, or returned at the end of the grace period. */
  async stop({ graceSeconds = 30 }: StopOptions = {}): Promise<void> {
    this.#stopping.abort()
    const finished = new AbortController()
    void awaitedSleep(graceSeconds * 1000, finished.signal).then(() => this.#halting.abort())
    // The caller of `run` receives the rejection.
    await this.#running?.catch(() => undefined)
    finished.abort()
  }

  async #loop(): Promise<void> {
    let failures = 0
    while (!this.#stopping.signal.aborted) {
      try {
        const message = await this.#next()
        failures = 0
        if (message !== undefined) await this.#process(message)
      } catch (error) {
        if (GuardrailError.is(error) && error.code === 'bad_options') throw error
        failures += 1
        this.#report({ level: 'error', code: 'receive_failed', message: describeError(error) })
        await awaitedSleep(backoffMs(failures, Math.random()), this.#stopping.signal)
      }
    }
  }

  async #next(): Promise<Message<Body, LoopReply<Output>> | undefined> {
    this.heartbeat.beat()
    const [message] = await this.#options.mailbox.receive({
      visibilitySeconds: this.#times.visibilityTimeout,
      waitSeconds: WAIT_SECONDS,
      signal: this.#stopping.signal,
    })
    return message
  }

  /** Never rejects: a message that cannot be settled is redelivered when its lease ends. */
  async #process(message: Message<Body, LoopReply<Output>>): Promise<void> {
    const log = new MessageLeaseLog(this.#report)
    try {
      await this.#settle(message, await this.#computeOutcome(message, log))
    } catch (error) {
      if (ReceiptHandleExpiredError.is(error)) {
        this.#report({ level: 'warning', code: 'lease_expired', message: error.message })
        await log.expired(error.message)
      } else {
        this.#report({ level: 'error', code: 'settle_failed', message: describeError(error) })
      }
    }
  }

  async #computeOutcome(
    message: Message<Body, LoopReply<Output>>,
    log: MessageLeaseLog,
  ): Promise<Outcome<Output>> {
    if (this.#stopping.signal.aborted) return { kind: 'halted' }
    if (this.#deadLetters.isOver(message.deliveryCount)) {
      const error = `It was delivered ${this.#deadLetters.deliveries} times and no worker finished it.`
      return { kind: 'failed', error, cause: null }
    }
    const [now, report] = [this.#now, this.#report]
    const { extension, interval, watchdogThreshold } = this.#times
    const enabled = this.#options.extendLeases ?? true
    const heartbeat = new Heartbeat({ now, report })
    heartbeat.onBeat(() => this.heartbeat.beat())
    const extender = new LeaseExtender({ extension, interval, enabled, now, report, log })
    return extender.during(message, heartbeat, () =>
      supervise(
        (signal) => {
          const recordLease = log.add.bind(log)
          return this.#options.handle(message.body, { heartbeat, signal, message, recordLease })
        },
        heartbeat,
        { thresholdSeconds: watchdogThreshold, now, halt: this.#halting.signal },
      ),
    )
  }

  async #settle(
    message: Message<Body, LoopReply<Output>>,
    outcome: Outcome<Output>,
  ): Promise<void> {
    switch (outcome.kind) {
      case 'completed':
        return this.#complete(message, outcome)
      case 'failed':
        return this.#fail(message, outcome)
      case 'halted':
        return message.nack()
      case 'stuck':
        this.#report({
          level: 'error',
          code: 'handler_stuck',
          message: `The handler of message ${message.id} has sent no beat for ${this.#times.watchdogThreshold} s and was abandoned. The message is delivered again when its lease expires.`,
        })
        return
      default:
        outcome satisfies never
    }
  }

  async #complete(
    message: Message<Body, LoopReply<Output>>,
    outcome: LoopReply<Output>,
  ): Promise<void> {
    try {
      if (message.canReply) await message.reply(outcome)
    } catch (error) {
      // Acknowledging the message without its reply would lose the work for the waiting sender.
      const text = `The reply could not be sent: ${describeError(error)}`
      return this.#fail(message, { error: text, cause: error })
    }
    await message.acknowledge()
  }

  async #fail(
    message: Message<Body, LoopReply<Output>>,
    { error, cause }: { readonly error: string; readonly cause: unknown },
  ): Promise<void> {
    if (!this.#deadLetters.isDead(message.deliveryCount, cause)) {
      const seconds = retryDelaySeconds(message.deliveryCount)
      await message.nack(seconds)
      const text = `Message ${message.id} failed and will be retried in ${seconds} s: ${error}`
      this.#report({ level: 'warning', code: 'handler_failed', message: text })
      return
    }
    if (message.canReply) await this.#replyFailed(message, error)
    await message.deadLetter(error)
    const text = `Message ${message.id} failed permanently and is now a dead letter: ${error}`
    this.#report({ level: 'error', code: 'dead_lettered', message: text })
  }

  /** An unreachable reply address must not keep a message from the dead letters. */
  async #replyFailed(message: Message<Body, LoopReply<Output>>, error: string): Promise<void> {
    try {
      await message.reply({ kind: 'failed', error })
    } catch (failure) {
      this.#report({ level: 'error', code: 'reply_failed', message: describeError(failure) })
    }
  }
}
