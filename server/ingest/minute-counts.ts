// Counts per minute of event time for an environment, each prompt and each runtime; used by sparklines, charts and alerts. An event from a
// clock that is ahead counts as now. Only newly stored events are counted, and none of an imported session. Pure.
import type { SessionEvent } from '@signalbox/core'
import { isImportedSession } from '@signalbox/wire'
import type { CallMinuteRow, CallMinutes } from './call-minutes.sql.ts'
import type { IncomingEvent } from './incoming.ts'
import { UNKNOWN_PROMPT } from './projection.ts'
import type { MinuteRow, StopRow } from './projection-rows.sql.ts'

const MINUTE = 60_000

type Counter = Exclude<keyof MinuteRow, 'environment' | 'minute'>

type Mutable = { -readonly [Name in keyof MinuteRow]: MinuteRow[Name] }

/** What one event counts as; empty for most. */
function countersOf(event: SessionEvent): readonly Counter[] {
  switch (event.type) {
    case 'session.started':
      return ['sessions']
    case 'tool.requested':
      return ['calls']
    case 'tool.decided':
      return event.data.decision === 'allowed' ? [] : ['denied']
    case 'feedback.delivered':
      if (event.data.mode !== 'enforce') return []
      return event.data.severity === 'warning' ? ['feedback', 'warnings'] : ['feedback']
    default:
      return []
  }
}

/** The final verification is not an attempt of the agent to stop, so it counts as none (specs/analytics.md). */
function countersOfStop({ via, verdict }: StopRow): readonly Counter[] {
  if (via === 'final') return []
  if (verdict === 'bypassed') return ['stops', 'bypassed']
  return verdict === 'blocked' || verdict === 'error' ? ['stops', 'blocked'] : ['stops']
}

/** Its start, epoch ms. */
function minuteOf(at: number, now: number): number {
  return Math.floor(Math.min(at, now) / MINUTE) * MINUTE
}

function emptyMinute(environment: string, minute: number): Mutable {
  const zero = { calls: 0, denied: 0, feedback: 0, warnings: 0 }
  return { environment, minute, ...zero, stops: 0, blocked: 0, bypassed: 0, sessions: 0 }
}

/** A session that the batch brought something of. */
interface Counted {
  readonly row: {
    readonly id: string
    readonly runtimeId: string | null
    readonly ns: string
    readonly key: string
  }
  readonly fresh: readonly IncomingEvent[]
  /** Those that `fresh` holds. */
  readonly stops: readonly StopRow[]
  /** It has said only now what it is; what came of it before counts now, too. */
  readonly namesPrompt: boolean
}

export interface MinuteCounts {
  /** Of the environment, ascending. */
  readonly minutes: readonly MinuteRow[]
  /** Of its prompts and runtimes. A session that has not said yet what it is waits until it does. */
  readonly calls: CallMinutes
}

type MutableCalls = { -readonly [Name in keyof CallMinuteRow]: CallMinuteRow[Name] }

/** `now`: epoch ms, of the server. */
export function countMinutes(
  environment: string,
  sessions: readonly Counted[],
  now: number,
): MinuteCounts {
  const minutes = new Map<number, Mutable>()
  const calls = new Map<string, MutableCalls>()
  const late: string[] = []
  for (const session of sessions) {
    const { row, namesPrompt } = session
    if (isImportedSession(row.id)) continue
    const own = countSession(session, now)
    for (const [minute, counted] of own) {
      const sum = minutes.get(minute) ?? emptyMinute(environment, minute)
      minutes.set(minute, sum)
      for (const [counter, count] of counted) sum[counter] += count
    }
    if (row.ns === UNKNOWN_PROMPT) continue
    if (namesPrompt) late.push(row.id)
    else addCalls(calls, { ...row, environment }, own)
  }
  return {
    minutes: [...minutes.values()].sort((a, b) => a.minute - b.minute),
    calls: { rows: [...calls.values()], late },
  }
}

type CountedByMinute = ReadonlyMap<number, ReadonlyMap<Counter, number>>

function countSession({ fresh, stops }: Counted, now: number): CountedByMinute {
  const minutes = new Map<number, Map<Counter, number>>()
  const add = (at: number, counters: readonly Counter[]): void => {
    if (counters.length === 0) return
    const minute = minuteOf(at, now)
    const counted = minutes.get(minute) ?? new Map<Counter, number>()
    minutes.set(minute, counted)
    for (const counter of counters) counted.set(counter, (counted.get(counter) ?? 0) + 1)
  }
  for (const { event } of fresh) add(event.at, countersOf(event))
  for (const stop of stops) add(stop.at, countersOfStop(stop))
  return minutes
}

function addCalls(
  rows: Map<string, MutableCalls>,
  of: Counted['row'] & { readonly environment: string },
  counted: CountedByMinute,
): void {
  const { ns, key, environment } = of
  const place = { runtimeId: of.runtimeId ?? '', ns, key, environment }
  for (const [minute, counts] of counted) {
    const [calls, denied] = [counts.get('calls') ?? 0, counts.get('denied') ?? 0]
    if (calls + denied === 0) continue
    const name = JSON.stringify([place, minute])
    const row = rows.get(name) ?? { ...place, minute, calls: 0, denied: 0 }
    rows.set(name, row)
    row.calls += calls
    row.denied += denied
  }
}
