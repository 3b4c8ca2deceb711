import 'server-only'
import { DEMO_NAMESPACE, DEMO_SESSION_START, IMPORTED_SESSION_START } from '@signalbox/wire'

const STARTS = [IMPORTED_SESSION_START, DEMO_SESSION_START] as const

/** `isCountedSession` as SQL. Every query behind a figure, an alert or the attention list has it. `column`: id of the session. */
export function countedTerm(column: string): string {
  return `(${STARTS.map((start) => `${column} NOT LIKE '${start}%'`).join(' AND ')})`
}

/** The same for a page about one prompt. A page about a prompt of the demo would otherwise deny what the demo just did on it. */
export function countedTermOn(ns: string, column: string): string {
  return ns === DEMO_NAMESPACE ? 'TRUE' : countedTerm(column)
}
