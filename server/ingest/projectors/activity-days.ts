// Counts of fired rules and called tools, per prompt and UTC day of the event. Sessions that are imported or of the demo are not counted.
import type { CheckResult, RuleResult, SessionEvent } from '@signalbox/core'
import { isCountedSession } from '@signalbox/wire'
import {
  batchColumns,
  int,
  type RowOf,
  text,
  textAs,
  time,
} from '@/server/platform/sql/batch-columns.ts'
import { storableText } from '@/server/platform/sql/storable-text.ts'
import { defineProjector, type Outcome } from './projector.ts'
import { ACTIVITY_DAYS, toCountSql } from './shared-counts.sql.ts'

const columns = batchColumns({
  environment: text(),
  ns: text(),
  key: text(),
  /** `YYYY-MM-DD` in UTC. */
  day: textAs('date'),
  kind: text<'rule' | 'tool' | 'session'>(),
  /** Empty for sessions. */
  name: text(),
  count: int(),
  lastAt: time(),
})

type Row = RowOf<typeof columns>
type Fact = Pick<Row, 'kind' | 'name'>

/** A rule fires when it changes the result, or would in shadow mode: it denies, asks, masks, withholds, gives feedback, or blocks a stop. */
function listActivityFacts(event: SessionEvent): readonly Fact[] {
  switch (event.type) {
    case 'session.started':
      return [{ kind: 'session', name: '' }]
    case 'tool.decided': {
      const { tool, rules } = event.data
      return [{ kind: 'tool', name: tool }, ...rulesNamed(changedBy(rules))]
    }
    case 'content.decided':
      return rulesNamed(changedBy(event.data.rules))
    case 'approval.requested':
      return rulesNamed(event.data.rules)
    case 'feedback.delivered':
      return rulesNamed([event.data.provider])
    case 'stop.decided':
      return rulesNamed(heldBy(event.data.check))
    default:
      return []
  }
}

/** Warnings of content rules are counted as feedback. */
function changedBy(rules: readonly RuleResult[]): readonly string[] {
  return rules.flatMap(({ rule, result, code }) =>
    result !== 'allow' || code === 'content.masked' ? [rule] : [],
  )
}

function rulesNamed(names: readonly string[]): readonly Fact[] {
  return [...new Set(names)].map((name) => ({ kind: 'rule', name }))
}

function heldBy(check: CheckResult | null): readonly string[] {
  if (check === null) return []
  const below = (check.children ?? []).flatMap(heldBy)
  const { status, checker } = check
  return status === 'incomplete' || status === 'error' ? [checker, ...below] : below
}

/** An id or tool name of a config is far shorter; a longer one is ignored. */
const LONGEST_NAME = 200

const DAY_MS = 86_400_000

/** Formats instants as `YYYY-MM-DD`. The text of each day is kept, because writing it costs more than counting an event. */
function dayWriter(): (at: number) => string {
  const written = new Map<number, string>()
  return (at) => {
    const day = Math.floor(at / DAY_MS)
    const text = written.get(day) ?? new Date(day * DAY_MS).toISOString().slice(0, 10)
    written.set(day, text)
    return text
  }
}

function countDays({ row: { id, environment, ns, key }, fresh }: Outcome): readonly Row[] {
  if (!isCountedSession(id)) return []
  const rows = new Map<string, Row>()
  const writeUtcDay = dayWriter()
  for (const { event } of fresh) {
    const day = writeUtcDay(event.at)
    for (const fact of listActivityFacts(event)) {
      if (fact.name.length > LONGEST_NAME) continue
      const name = storableText(fact.name)
      const counted = [day, fact.kind, name].join('\n')
      const { count = 0, lastAt = event.at } = rows.get(counted) ?? {}
      rows.set(counted, {
        environment,
        ns,
        key,
        day,
        kind: fact.kind,
        name,
        count: count + 1,
        lastAt: Math.max(lastAt, event.at),
      })
    }
  }
  return [...rows.values()]
}

const COUNT_SQL = toCountSql(ACTIVITY_DAYS, columns)

export const activityDays = defineProjector({
  rows: ({ outcomes }) => outcomes.flatMap(countDays),
  async write(sql, rows, { scope }) {
    if (rows.length > 0) await sql.query(COUNT_SQL, [scope.projectId, ...columns.parameters(rows)])
  },
})
