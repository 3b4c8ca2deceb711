// An event from a clock that is ahead counts as now. Sessions that are imported or of the demo are not counted.
import type { SessionEvent } from '@signalbox/core'
import { wouldBlock } from '@signalbox/core/analysis'
import { isCountedSession } from '@signalbox/wire'
import { batchColumns, int, type RowOf, text, time } from '@/server/platform/sql/batch-columns.ts'
import { type DecidedStop, isStopAttempt } from '../batch/stop-attempts.ts'
import { type Batch, defineProjector, floorToMinute } from './projector.ts'
import { MINUTE_COUNTS, toCountSql } from './shared-counts.sql.ts'

const columns = batchColumns({
  environment: text(),
  minute: time(),
  calls: int(),
  denied: int(),
  feedback: int(),
  warnings: int(),
  stops: int(),
  blocked: int(),
  bypassed: int(),
  sessions: int(),
})

type Row = RowOf<typeof columns>
type Counter = Exclude<keyof Row, 'environment' | 'minute'>
type Mutable = { -readonly [Name in keyof Row]: Row[Name] }

function findCounters(event: SessionEvent): readonly Counter[] {
  switch (event.type) {
    case 'session.started':
      return ['sessions']
    // As Analytics counts them: an invalid call that no rule saw is no call of the figures.
    case 'tool.decided':
      return event.data.decision === 'allowed' ? ['calls'] : ['calls', 'denied']
    case 'feedback.delivered':
      if (event.data.mode !== 'enforce') return []
      return event.data.severity === 'warning' ? ['feedback', 'warnings'] : ['feedback']
    default:
      return []
  }
}

function findStopCounters(stop: DecidedStop): readonly Counter[] {
  if (!isStopAttempt(stop)) return []
  const { data } = stop.event
  const { verdict } = data
  if (wouldBlock(data)) return ['stops']
  return verdict === 'bypassed' || verdict === 'blocked' ? ['stops', verdict] : ['stops']
}

function emptyMinute(environment: string, minute: number): Mutable {
  const zero = { calls: 0, denied: 0, feedback: 0, warnings: 0 }
  return { environment, minute, ...zero, stops: 0, blocked: 0, bypassed: 0, sessions: 0 }
}

function countMinutes({ scope, outcomes, now }: Batch): readonly Row[] {
  const minutes = new Map<number, Mutable>()
  const add = (at: number, counters: readonly Counter[]): void => {
    if (counters.length === 0) return
    const minute = floorToMinute(at, now)
    const row = minutes.get(minute) ?? emptyMinute(scope.environment, minute)
    minutes.set(minute, row)
    for (const counter of counters) row[counter] += 1
  }
  for (const { row, fresh, stops } of outcomes) {
    if (!isCountedSession(row.id)) continue
    for (const { event } of fresh) add(event.at, findCounters(event))
    for (const stop of stops) add(stop.event.at, findStopCounters(stop))
  }
  return [...minutes.values()]
}

const COUNT_SQL = toCountSql(MINUTE_COUNTS, columns)

export const minuteCounts = defineProjector({
  rows: countMinutes,
  async write(sql, rows, { scope }) {
    if (rows.length > 0) await sql.query(COUNT_SQL, [scope.projectId, ...columns.parameters(rows)])
  },
})
