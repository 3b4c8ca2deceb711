// An order changes a session only if a trusted key signed it, for this session, with a new counter, and in time (specs/session-control.md).
import type { SessionControlled } from '@signalbox/core'
import { openSessionOrder, type SignedSessionOrder } from '@signalbox/wire'
import type { OnDiagnostic } from '../base/diagnostic.ts'

interface ControlledSession {
  /** Resolves with the reason why the session refused the order; null: the order is recorded. Never rejects. */
  obey(order: SessionControlled): Promise<string | null>
}

export interface SessionOrdersParts {
  readonly signingKeys: () => readonly string[]
  /** null: no such session runs here. */
  readonly findSession: (id: string) => ControlledSession | null
  readonly now: () => number
  readonly report: OnDiagnostic
}

const MOST_REMEMBERED = 1000

export class SessionOrders {
  readonly #parts: SessionOrdersParts
  /** The server repeats an order until its event is stored, and each refusal is reported once. */
  readonly #reported = new Set<string>()

  constructor(parts: SessionOrdersParts) {
    this.#parts = parts
  }

  /** Never rejects. */
  async take(orders: readonly SignedSessionOrder[]): Promise<void> {
    for (const signed of orders) {
      const refusal = await this.#decide(signed)
      if (refusal !== null) this.#report(`${signed.text} ${refusal}`, refusal)
    }
  }

  /** null: the session took the order. */
  async #decide(signed: SignedSessionOrder): Promise<string | null> {
    const { signingKeys, findSession, now } = this.#parts
    const order = openSessionOrder(signed, signingKeys())
    if (order === null) return 'An order about a session is not signed by a trusted key.'
    const { session: id, counter, action, by, reason, expires_at: expiresAt } = order
    const named = `Order ${counter} (${action}) for ${id}`
    if (expiresAt <= now()) return `${named} expired at ${new Date(expiresAt).toISOString()}.`
    const session = findSession(id)
    if (session === null) return `${named} is not for a session that runs here.`
    const refusal = await session.obey({ action, by, reason, counter })
    return refusal === null ? null : `${named} was refused: ${refusal}`
  }

  #report(name: string, message: string): void {
    if (this.#reported.has(name)) return
    if (this.#reported.size >= MOST_REMEMBERED) this.#reported.clear()
    this.#reported.add(name)
    this.#parts.report({ level: 'warning', code: 'session_order_refused', message })
  }
}
