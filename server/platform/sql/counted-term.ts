import 'server-only'
import { DEMO_SESSION_START, IMPORTED_SESSION_START } from '@signalbox/wire'

const STARTS = [IMPORTED_SESSION_START, DEMO_SESSION_START] as const

/** `isCountedSession` as SQL. Every query behind a figure, an alert or the attention list has it. `column`: id of the session. */
export function countedTerm(column: string): string {
  return `(${STARTS.map((start) => `${column} NOT LIKE '${start}%'`).join(' AND ')})`
}
