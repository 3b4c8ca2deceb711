// The filter of the sessions list as SQL: one term for each part that is set, so that the page can show which part excludes the most.
import 'server-only'
import type { FilterOf } from '@/server/platform/list/define-list.ts'
import { holdsEvery, splitWords } from '@/server/platform/sql/folded-text.ts'
import { epochMs } from '@/server/platform/sql/rows.ts'
import { sqlList } from '@/server/platform/sql/sql-list.ts'
import { demoTerm, importedTerm, withoutDemo } from './recorded-fields.sql.ts'
import {
  ACTIVITY_SQL,
  COLUMN_SQL,
  SESSION_JOINS,
  SESSION_TABLES,
  STATUS_SQL,
  URGENCY_SQL,
} from './session-columns.sql.ts'
import { SESSIONS } from './sessions.list.ts'

export type SessionFilter = FilterOf<typeof SESSIONS>
type SessionVerdict = NonNullable<SessionFilter['verdict']>

export type FilterPart = Exclude<keyof SessionFilter, 'until'>

const VERDICT_SQL = {
  denied: 's.denied > 0',
  blocked: 's.stops_blocked > 0',
  bypassed: "s.last_verdict = 'bypassed' AND last_stop.code IS DISTINCT FROM 'stop.would_block'",
  deadline: "s.last_verdict = 'bypassed' AND last_stop.bypass = 'deadline'",
  error: "s.last_verdict = 'error'",
  warning: 's.warnings > 0',
} as const satisfies Record<SessionVerdict, string>

const LABELED =
  'EXISTS (SELECT 1 FROM session_labels l WHERE l.session_id = s.id AND l.project_id = s.project_id'

/** `bad`: the session, or one of its calls or stops. `good`: the session. */
const LABEL_SQL = {
  good: `${LABELED} AND l.seq = 0 AND l.label = 'good')`,
  bad: `${LABELED} AND l.label = 'bad')`,
  none: `NOT ${LABELED})`,
} as const

const ENFORCED_SQL = {
  fully: "s.enforcement = 'full'",
  not: "s.enforcement IN ('gap', 'breach')",
} as const

type Bind = (value: unknown) => string

const SEARCHED = "s.ns || '/' || s.key || ' ' || s.id || ' ' || coalesce(r.name, '')"

function statusTerm(status: NonNullable<SessionFilter['status']>, bind: Bind): string {
  if (status === 'ended') return 's.ended_at IS NOT NULL'
  const isWhole = status === 'running' || status === 'lost'
  return `s.ended_at IS NULL AND ${isWhole ? STATUS_SQL : ACTIVITY_SQL} = ${bind(status)}`
}

const STATES = SESSIONS.params.status.values
const PLAN_ENDS: readonly string[] = SESSIONS.grammar.choices['plan-done']

const isKey = <Key extends string>(
  table: Readonly<Record<Key, unknown>>,
  name: string,
): name is Key => Object.hasOwn(table, name)

export const sessionList = sqlList(SESSIONS, {
  tables: SESSION_TABLES,
  row: 's',
  joins: SESSION_JOINS,
  columns: COLUMN_SQL,
  params: {
    environment: (name, bind) => `s.environment = ${bind(name)}`,
    status: statusTerm,
    prompt: ({ ns, key }, bind) => `s.ns = ${bind(ns)} AND s.key = ${bind(key)}`,
    version: (number, bind) => `s.config_version = ${bind(number)}`,
    verdict: (verdict) => VERDICT_SQL[verdict],
    enforced: (enforced) => ENFORCED_SQL[enforced],
    runtime: (id, bind) => `s.runtime_id = ${bind(id)}`,
    q: (q, bind) => holdsEvery(SEARCHED, splitWords(q), bind),
    madeBy: (userId, bind) =>
      // An array is computed once, a set again for each session.
      `s.runtime_id = ANY(ARRAY(SELECT m.id FROM runtimes m JOIN api_keys k ON k.id = m.api_key_id
         WHERE m.project_id = $1 AND k.project_id = $1 AND k.created_by = ${bind(userId)}))`,
  },
  // Analytics counts how a session ended only if its log has no gap and it was not imported.
  fields: {
    texts: {
      prompt: "s.ns || '/' || s.key",
      env: 's.environment',
      session: 's.id',
      runtime: "coalesce(r.name, '') || ' ' || coalesce(s.runtime_id, '')",
    },
    choices: {
      status: (word, bind) => {
        const status = STATES.find((one) => one === word)
        return status === undefined ? 'false' : statusTerm(status, bind)
      },
      verdict: (verdict) => (isKey(VERDICT_SQL, verdict) ? VERDICT_SQL[verdict] : 'false'),
      enforced: (enforced) => (isKey(ENFORCED_SQL, enforced) ? ENFORCED_SQL[enforced] : 'false'),
      label: (label) => (isKey(LABEL_SQL, label) ? LABEL_SQL[label] : 'false'),
      imported: importedTerm('s.id'),
      demo: demoTerm('s.id'),
      ending: (reason, bind) => `s.end_reason = ${bind(reason)} AND s.plan_end IS NOT NULL`,
      'plan-done': (name, bind) => `s.plan_end = ${bind(PLAN_ENDS.indexOf(name) - 1)}::int`,
    },
    numbers: {
      version: 's.config_version',
      calls: 's.calls',
      denied: 's.denied',
      warnings: 's.warnings',
      stops: 's.stop_attempts',
      blocked: 's.stops_blocked',
      tokens: 's.tokens_used',
      started: epochMs('s.started_at'),
      ended: epochMs('s.ended_at'),
      'time-used': 's.time_used',
      'ended-version': `(SELECT max(v.number) FROM config_versions v
        WHERE v.project_id = $1 AND v.digest = coalesce(s.governing_digest, s.config_digest))`,
    },
    row: SEARCHED,
  },
  orders: {
    started: 's.started_at',
    oldest: 's.started_at',
    denied: 's.denied',
    urgent: [URGENCY_SQL, 's.started_at'],
  },
  // Counts grow during paging: a session can move to a page that was already read, and is listed only once.
  only: { denied: 's.denied > 0', urgent: 's.ended_at IS NULL' },
  range: 's.started_at',
  also: withoutDemo('s.id'),
})

// A filter has only the keys of its type; Object.keys loses that.
const listFilterKeys = (filter: SessionFilter) => Object.keys(filter) as (keyof SessionFilter)[]

export function listSetParts(filter: SessionFilter): readonly FilterPart[] {
  return listFilterKeys(filter).flatMap((part) =>
    part === 'until' || filter[part] === undefined ? [] : [part],
  )
}
