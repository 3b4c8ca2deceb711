import type { SessionEvent } from '@signalbox/core'
import type { LogRow } from './session-log.sql.ts'

type StoredEnvelope = Pick<LogRow, 'seq' | 'at' | 'type' | 'data' | 'config' | 'trace' | 'prev'>

/** An event of a type that this build does not know keeps its envelope; core folds it without effect. */
export function toLoggedEvent(session: string, row: StoredEnvelope): SessionEvent {
  const { seq, at, type, data, config, trace, prev } = row
  const optional = {
    ...(config === null ? {} : { config }),
    ...(trace === null ? {} : { trace }),
    ...(prev === null ? {} : { prev }),
  }
  // The row was written from an event that the wire schema accepted, and rows never change.
  return { session, seq, at, type, data, ...optional } as SessionEvent
}
