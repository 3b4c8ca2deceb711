import type { Plan } from '../state/built-in-slices.ts'
import type { Session } from '../state/session.ts'
import type { SessionAccess } from '../state/session-access.ts'
import type { SliceDefinition } from '../state/slice.ts'

export interface PlanSource {
  /** null: there is no plan. */
  latest(session: SessionAccess): Plan | null
  observe(session: Session, listener: (latest: Plan | null) => unknown): () => void
}

export function planSource<Own extends Plan>(slice: SliceDefinition<Own>): PlanSource {
  return {
    latest: (session) => session.slice(slice).latest(),
    observe: (session, listener) => session.observe(slice, listener),
  }
}
