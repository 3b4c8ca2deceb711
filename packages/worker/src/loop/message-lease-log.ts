import type { OnDiagnostic } from '@signalbox/runtime/base'
import { describeError } from '@signalbox/runtime/base'
import type { LeaseLog } from '../lease/lease-log.ts'

export class MessageLeaseLog implements LeaseLog {
  readonly #report: OnDiagnostic
  readonly #logs: LeaseLog[] = []
  #hasExpired = false

  constructor(report: OnDiagnostic) {
    this.#report = report
  }

  add(log: LeaseLog): void {
    this.#logs.push(log)
  }

  async extended(seconds: number): Promise<void> {
    await this.#each((log) => log.extended(seconds))
  }

  async expired(message: string): Promise<void> {
    if (this.#hasExpired) return
    this.#hasExpired = true
    await this.#each((log) => log.expired(message))
  }

  async #each(write: (log: LeaseLog) => void | Promise<void>): Promise<void> {
    for (const log of this.#logs) {
      try {
        await write(log)
      } catch (error) {
        const message = `The lease log failed: ${describeError(error)}`
        this.#report({ level: 'error', code: 'lease_log_failed', message })
      }
    }
  }
}
