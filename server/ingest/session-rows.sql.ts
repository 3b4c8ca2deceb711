// Session rows on the ingest path: made, locked in one order, and written back set by set. Whoever locks a session's row
// owns its events, counters and snapshot until the transaction ends.
import 'server-only'
import type { SqlTx } from '@/server/platform/db/sql-transaction.ts'

type VerificationState = 'pending' | 'verified' | 'diverged'
type EnforcementState = 'unknown' | 'full' | 'gap' | 'breach'

/** Times are epoch ms. Counters are absolute values: the row is locked when they are computed. */
export interface SessionRow {
  readonly id: string
  readonly projectId: string
  readonly environment: string
  /** Day partition of its events, `YYYY-MM-DD`. */
  readonly partitionDay: string
  /** Its events were removed by the retention rule: nothing more is stored. */
  readonly isRemoved: boolean
  readonly runtimeId: string | null
  readonly ns: string
  readonly key: string
  readonly configDigest: string | null
  readonly configVersion: number | null
  /** Of the newest config.applied that is stored; null: none is. */
  readonly governingDigest: string | null
  readonly governingSeq: number | null
  /** JSON text. */
  readonly harness: string
  readonly startedAt: number
  readonly endedAt: number | null
  readonly endReason: string | null
  readonly lastEventAt: number
  readonly contiguousSeq: number
  readonly maxSeq: number
  readonly deadlineAt: number | null
  readonly tokenLimit: number | null
  readonly tokensUsed: number
  readonly planDone: number | null
  readonly planTotal: number | null
  readonly calls: number
  readonly denied: number
  readonly feedback: number
  readonly warnings: number
  readonly stopAttempts: number
  readonly stopsBlocked: number
  readonly overridden: number
  readonly lastVerdict: string | null
  readonly lastStopId: string | null
  readonly lastEventText: string | null
  /** What the session was doing after its newest event (server/ingest/standing.ts). */
  readonly doing: 'call' | 'approval' | 'refused' | 'turn_over' | 'lease_expired' | null
  readonly doingSeq: number | null
  readonly doingText: string | null
  readonly anomalies: number
  readonly verification: VerificationState
  readonly divergedSeq: number | null
  /** JSON text; null: the host's own loop, or not known yet. */
  readonly capabilities: string | null
  /** JSON text of the first ones. */
  readonly breaches: string
  readonly breachCount: number
  readonly enforcement: EnforcementState
  /** Up to here it is counted for Analytics; smaller than contiguousSeq only where a job has still to count. */
  readonly rolledSeq: number
  /** JSON text of what counting remembers; null: nothing yet. */
  readonly rollupState: string | null
  /** Up to here its deliveries are listed; smaller than rolledSeq only where a job has still to list them. */
  readonly listedSeq: number
  /** What was counted of its end; null: it is not counted yet, or had no deadline. Percent of its time. */
  readonly timeUsed: number | null
  /** Quarters of the plan that were done, as Analytics counts them; -1: there was no plan. */
  readonly planEnd: number | null
}

type Kind = 'text' | 'int' | 'time' | 'json' | 'verification' | 'enforcement'

/** Every column that a batch may change, with how it travels; the rest is fixed when the row is made. */
const CHANGING = {
  runtimeId: ['runtime_id', 'text'],
  ns: ['ns', 'text'],
  key: ['key', 'text'],
  configDigest: ['config_digest', 'text'],
  configVersion: ['config_version', 'int'],
  governingDigest: ['governing_digest', 'text'],
  governingSeq: ['governing_seq', 'int'],
  harness: ['harness', 'json'],
  startedAt: ['started_at', 'time'],
  endedAt: ['ended_at', 'time'],
  endReason: ['end_reason', 'text'],
  lastEventAt: ['last_event_at', 'time'],
  contiguousSeq: ['contiguous_seq', 'int'],
  maxSeq: ['max_seq', 'int'],
  deadlineAt: ['deadline_at', 'time'],
  tokenLimit: ['token_limit', 'int'],
  tokensUsed: ['tokens_used', 'int'],
  planDone: ['plan_done', 'int'],
  planTotal: ['plan_total', 'int'],
  calls: ['calls', 'int'],
  denied: ['denied', 'int'],
  feedback: ['feedback', 'int'],
  warnings: ['warnings', 'int'],
  stopAttempts: ['stop_attempts', 'int'],
  stopsBlocked: ['stops_blocked', 'int'],
  overridden: ['overridden', 'int'],
  lastVerdict: ['last_verdict', 'text'],
  lastStopId: ['last_stop_id', 'text'],
  lastEventText: ['last_event_text', 'text'],
  doing: ['doing', 'text'],
  doingSeq: ['doing_seq', 'int'],
  doingText: ['doing_text', 'text'],
  anomalies: ['anomalies', 'int'],
  verification: ['verification', 'verification'],
  divergedSeq: ['diverged_seq', 'int'],
  capabilities: ['capabilities', 'json'],
  breaches: ['breaches', 'json'],
  breachCount: ['breach_count', 'int'],
  enforcement: ['enforcement', 'enforcement'],
  rolledSeq: ['rolled_seq', 'int'],
  rollupState: ['rollup_state', 'json'],
  listedSeq: ['listed_seq', 'int'],
  timeUsed: ['time_used', 'int'],
  planEnd: ['plan_end', 'int'],
} as const satisfies Partial<Record<keyof SessionRow, readonly [column: string, kind: Kind]>>

type ChangingName = keyof typeof CHANGING

// The table above has exactly the keys of its own type; Object.keys only forgets that.
const NAMES = Object.keys(CHANGING) as ChangingName[]

const ARRAY_TYPE = {
  text: 'text[]',
  int: 'int[]',
  time: 'float8[]',
  json: 'text[]',
  verification: 'text[]',
  enforcement: 'text[]',
} as const satisfies Record<Kind, string>

/** Kinds that travel as text and are PostgreSQL types of their own name. */
const CAST_KINDS: ReadonlySet<Kind> = new Set(['json', 'verification', 'enforcement'])

function readColumn(name: ChangingName): string {
  const [column, kind] = CHANGING[name]
  if (kind === 'time') return `(extract(epoch FROM ${column}) * 1000)::float8`
  return CAST_KINDS.has(kind) ? `${column}::text` : column
}

function writeColumn(name: ChangingName): string {
  const [column, kind] = CHANGING[name]
  const value = `n.${column}`
  if (kind === 'time') return `to_timestamp(${value} / 1000)`
  return CAST_KINDS.has(kind) ? `${value}::${kind}` : value
}

const LOCK_SQL = `
  SELECT id, project_id AS "projectId", environment, partition_day::text AS "partitionDay",
    events_removed_at IS NOT NULL AS "isRemoved", ${NAMES.map((name) => `${readColumn(name)} AS "${name}"`).join(', ')}
  FROM sessions WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE`

const UPDATE_SQL = `
  UPDATE sessions s SET received_at = now(),
    ${NAMES.map((name) => `${CHANGING[name][0]} = ${writeColumn(name)}`).join(', ')}
  FROM unnest($1::text[], ${NAMES.map((name, i) => `$${i + 2}::${ARRAY_TYPE[CHANGING[name][1]]}`).join(', ')})
    AS n(id, ${NAMES.map((name) => CHANGING[name][0]).join(', ')})
  WHERE s.id = n.id`

export interface NewSession {
  readonly id: string
  readonly projectId: string
  readonly environment: string
  readonly partitionDay: string
  /** Time of its first event, epoch ms. */
  readonly at: number
}

/**
 * Makes the rows that are missing, in order of id, and leaves the others alone. A row starts without knowing its prompt
 * (`?`): its session.started may still be on the way.
 */
export async function ensureSessions(sql: SqlTx, sessions: readonly NewSession[]): Promise<void> {
  const known = await sql.query<{ id: string }>(
    'SELECT id FROM sessions WHERE id = ANY($1::text[])',
    [sessions.map(({ id }) => id)],
  )
  const present = new Set(known.map(({ id }) => id))
  const missing = sessions.filter(({ id }) => !present.has(id))
  if (missing.length === 0) return
  await sql.query(
    `INSERT INTO sessions (id, project_id, environment, ns, key, harness, partition_day, started_at,
       last_event_at, received_at)
     SELECT n.id, n.project_id, n.environment, '?', '?', '{}', n.day::date, to_timestamp(n.at / 1000),
       to_timestamp(n.at / 1000), now()
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::float8[])
       AS n(id, project_id, environment, day, at)
     ORDER BY n.id
     ON CONFLICT (id) DO NOTHING`,
    [
      missing.map(({ id }) => id),
      missing.map(({ projectId }) => projectId),
      missing.map(({ environment }) => environment),
      missing.map(({ partitionDay }) => partitionDay),
      missing.map(({ at }) => at),
    ],
  )
}

/**
 * Locks in order of id. After `ensureSessions` with the same ids no two requests can wait for each other: rows are made in
 * that order too, and a request that locks rows has made all of its own.
 */
export async function lockSessions(
  sql: SqlTx,
  ids: readonly string[],
): Promise<readonly SessionRow[]> {
  return await sql.query<SessionRow & Record<string, unknown>>(LOCK_SQL, [ids])
}

export async function writeSessions(sql: SqlTx, rows: readonly SessionRow[]): Promise<void> {
  if (rows.length === 0) return
  await sql.query(UPDATE_SQL, [
    rows.map(({ id }) => id),
    ...NAMES.map((name) => rows.map((row) => row[name])),
  ])
}
