// The filter of the sessions list as SQL: one term for each part that is set, so that the page can say which part leaves out most.
import 'server-only'
import type { AuthorizedProjectId } from '@/server/platform/auth/scope.ts'
import {
  type FilterFields,
  type FilterTerm,
  filterTerms,
} from '@/server/platform/sql/filter-terms.ts'
import { holdsEvery, wordsOf } from '@/server/platform/sql/folded-text.ts'
import { epochMs } from '@/server/platform/sql/rows.ts'
import { importedTerm } from './recorded-fields.sql.ts'
import {
  ACTIVITY_SQL,
  type SessionActivity,
  type SessionStatus,
  STATUS_SQL,
} from './session-columns.sql.ts'

type SessionVerdict = 'denied' | 'blocked' | 'bypassed' | 'deadline' | 'warning'

export interface SessionFilter {
  readonly environment?: string | undefined
  readonly status?: SessionStatus | SessionActivity | undefined
  readonly prompt?: { readonly ns: string; readonly key: string } | undefined
  /** Number of the config's version that they began with. */
  readonly version?: number | undefined
  /** Sessions in which this happened at least once; `bypassed`: whose newest stop was; `deadline`: because the deadline had passed. */
  readonly verdict?: SessionVerdict | undefined
  /** `not`: what could not be enforced is known. A session without a known beginning is neither. */
  readonly enforced?: 'fully' | 'not' | undefined
  /** Id of the runtime that ran them. */
  readonly runtime?: string | undefined
  /** Words that must all be found in prompt, session id or runtime name. */
  readonly q?: string | undefined
  /** Epoch ms: started from then on. */
  readonly since?: number | undefined
  /** Epoch ms: started before. */
  readonly until?: number | undefined
  /** Run by runtimes that use a key which this person made. */
  readonly madeBy?: string | undefined
  /** Of the filter text, all of them. */
  readonly terms?: readonly FilterTerm[] | undefined
}

/** A part of the filter that a reader can take back. */
export type FilterPart = Exclude<keyof SessionFilter, 'until'>

export interface Where {
  readonly text: string
  readonly values: unknown[]
  /** Adds a value and names its place. */
  readonly bind: (value: unknown) => string
}

const VERDICT_SQL = {
  denied: 's.denied > 0',
  blocked: 's.stops_blocked > 0',
  bypassed: "s.last_verdict = 'bypassed'",
  deadline: "s.last_verdict = 'bypassed' AND last_stop.bypass = 'deadline'",
  warning: 's.warnings > 0',
} as const satisfies Record<SessionVerdict, string>

const ENFORCED_SQL = {
  fully: "s.enforcement = 'full'",
  not: "s.enforcement IN ('gap', 'breach')",
} as const

type Bind = Where['bind']

const SEARCHED = "s.ns || '/' || s.key || ' ' || s.id || ' ' || coalesce(r.name, '')"

function statusTerm(status: NonNullable<SessionFilter['status']>, bind: Bind): string {
  if (status === 'ended') return 's.ended_at IS NOT NULL'
  const isWhole = status === 'running' || status === 'lost'
  return `s.ended_at IS NULL AND ${isWhole ? STATUS_SQL : ACTIVITY_SQL} = ${bind(status)}`
}

const PLAN_ENDS = ['no-plan', 'none', 'under-25', 'under-50', 'under-75', 'under-100', 'all']

const isKey = <Key extends string>(
  table: Readonly<Record<Key, unknown>>,
  name: string,
): name is Key => Object.hasOwn(table, name)

const STATUS_WORDS = {
  ...{ running: true, ended: true, lost: true },
  ...{ working: true, waiting: true, blocked: true, silent: true, unknown: true },
} as const

/** Of the filter text. What Analytics counted of an end is there only where the log has no gap and was not imported. */
const FIELDS: FilterFields = {
  texts: {
    ...{ prompt: "s.ns || '/' || s.key", env: 's.environment', session: 's.id' },
    runtime: "coalesce(r.name, '') || ' ' || coalesce(s.runtime_id, '')",
  },
  choices: {
    status: (status, bind) => (isKey(STATUS_WORDS, status) ? statusTerm(status, bind) : 'false'),
    verdict: (verdict) => (isKey(VERDICT_SQL, verdict) ? VERDICT_SQL[verdict] : 'false'),
    enforced: (enforced) => (isKey(ENFORCED_SQL, enforced) ? ENFORCED_SQL[enforced] : 'false'),
    imported: importedTerm('s.id'),
    ending: (reason, bind) => `s.end_reason = ${bind(reason)} AND s.plan_end IS NOT NULL`,
    'plan-done': (name, bind) => `s.plan_end = ${bind(PLAN_ENDS.indexOf(name) - 1)}::int`,
  },
  numbers: {
    ...{
      version: 's.config_version',
      calls: 's.calls',
      denied: 's.denied',
      warnings: 's.warnings',
    },
    ...{ stops: 's.stop_attempts', blocked: 's.stops_blocked', tokens: 's.tokens_used' },
    ...{
      started: epochMs('s.started_at'),
      ended: epochMs('s.ended_at'),
      'time-used': 's.time_used',
    },
    'ended-version': `(SELECT max(v.number) FROM config_versions v
      WHERE v.project_id = $1 AND v.digest = coalesce(s.governing_digest, s.config_digest))`,
  },
  row: SEARCHED,
}

function rangeTerm({ since, until }: SessionFilter, bind: Bind): string {
  const instant = (at: number): string => `to_timestamp(${bind(at)}::float8 / 1000)`
  const terms = [
    ...(since === undefined ? [] : [`s.started_at >= ${instant(since)}`]),
    ...(until === undefined ? [] : [`s.started_at < ${instant(until)}`]),
  ]
  return terms.join(' AND ')
}

const TERM: {
  readonly [Part in FilterPart]: (
    value: NonNullable<SessionFilter[Part]>,
    bind: Bind,
    filter: SessionFilter,
  ) => string
} = {
  environment: (name, bind) => `s.environment = ${bind(name)}`,
  status: statusTerm,
  prompt: ({ ns, key }, bind) => `s.ns = ${bind(ns)} AND s.key = ${bind(key)}`,
  version: (number, bind) => `s.config_version = ${bind(number)}`,
  verdict: (verdict) => VERDICT_SQL[verdict],
  enforced: (enforced) => ENFORCED_SQL[enforced],
  runtime: (id, bind) => `s.runtime_id = ${bind(id)}`,
  q: (q, bind) => holdsEvery(SEARCHED, wordsOf(q), bind),
  terms: (terms, bind) => filterTerms(terms, FIELDS, bind).join(' AND ') || 'true',
  since: (_since, bind, filter) => rangeTerm(filter, bind),
  madeBy: (userId, bind) =>
    // As an array, found once: as a set it is looked for again with each session.
    `s.runtime_id = ANY(ARRAY(SELECT m.id FROM runtimes m JOIN api_keys k ON k.id = m.api_key_id
       WHERE m.project_id = $1 AND k.project_id = $1 AND k.created_by = ${bind(userId)}))`,
}

// The table above has exactly the keys of its own type; Object.keys only forgets that.
const PARTS = Object.keys(TERM) as FilterPart[]

/** The parts that are set. */
export function partsOf(filter: SessionFilter): readonly FilterPart[] {
  return PARTS.filter((part) => filter[part] !== undefined)
}

function termOf<Part extends FilterPart>(part: Part, filter: SessionFilter, bind: Bind): string {
  const value = filter[part]
  return value === undefined || value === null ? 'true' : TERM[part](value, bind, filter)
}

/** For statements over SESSION_TABLES; `$1` is the project. */
export function whereOf(projectId: AuthorizedProjectId, filter: SessionFilter): Where {
  const values: unknown[] = [projectId]
  const bind = (value: unknown): string => `$${values.push(value)}`
  const terms = partsOf(filter).map((part) => `(${termOf(part, filter, bind)})`)
  // An end without a beginning is a range too.
  if (filter.since === undefined && filter.until !== undefined) terms.push(rangeTerm(filter, bind))
  return { text: ['s.project_id = $1', ...terms].join(' AND '), values, bind }
}
