// Gives a run's orders to its sessions, as the runtime does when it has verified them.
import type { GuardedSession, Guardrails } from '@signalbox/runtime'
import type { CompatRun } from '@signalbox/testkit'

export interface OrderGiver {
  /** Call with every recorded line. */
  readonly onEvent: (line: string) => void
  readonly follow: (guardrails: Guardrails) => Guardrails
}

export function orderGiver(orders: CompatRun['orders'] = []): OrderGiver {
  const sessions: GuardedSession[] = []
  let ended = 0
  return {
    onEvent: (line) => {
      if (JSON.parse(line).type !== 'tool.invoked') return
      ended += 1
      for (const [index, { action, afterCalls, reason }] of orders.entries()) {
        if (afterCalls !== ended) continue
        // Never rejects. It is recorded before the session answers the next request.
        for (const session of sessions)
          void session.obey({ action, reason, by: 'Mira', counter: index + 1 })
      }
    },
    follow: (guardrails) => ({
      ...guardrails,
      openSession: (options) => {
        const session = guardrails.openSession(options)
        sessions.push(session)
        return session
      },
    }),
  }
}
