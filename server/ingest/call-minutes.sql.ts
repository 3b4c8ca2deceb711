// The calls of each prompt on each runtime by the minute, for alert rules about one (specs/alerts.md). Written by the transaction that
// stores the events, and forgotten when no preview looks so far back.
import 'server-only'
import { inSqlTransaction, type SqlTx } from '@/server/platform/db/sql-transaction.ts'

export interface CallMinuteRow {
  /** Empty: the session names none. */
  readonly runtimeId: string
  readonly ns: string
  readonly key: string
  readonly environment: string
  /** Start of the minute, epoch ms. */
  readonly minute: number
  readonly calls: number
  readonly denied: number
}

export interface CallMinutes {
  /** Each place and minute at most once. */
  readonly rows: readonly CallMinuteRow[]
  /** Sessions that have said only now what they are: all calls that are stored of them. */
  readonly late: readonly string[]
}

const STORED_OF_LATE = `UNION ALL
       SELECT coalesce(s.runtime_id, ''), s.ns, s.key, s.environment, date_trunc('minute', least(e.at, e.received_at), 'UTC'),
         count(*) FILTER (WHERE e.type = 'tool.requested'),
         count(*) FILTER (WHERE e.type = 'tool.decided' AND e.verdict <> 'allowed')
       FROM sessions s JOIN session_events e ON e.session_id = s.id AND e.partition_day = s.partition_day
       WHERE s.id = ANY($9::text[]) AND e.type IN ('tool.requested', 'tool.decided')
       GROUP BY 1, 2, 3, 4, 5`

/** In one order, so that no two batches wait for each other. */
const addingOf = (more: string): string =>
  `INSERT INTO call_minutes AS m (project_id, runtime_id, ns, key, environment, minute, calls, denied)
     SELECT $1, n.runtime_id, n.ns, n.key, n.environment, n.minute, sum(n.calls), sum(n.denied) FROM (
       SELECT f.runtime_id, f.ns, f.key, f.environment, to_timestamp(f.minute / 1000) AS minute, f.calls, f.denied
       FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::float8[], $7::int[], $8::int[])
         AS f(runtime_id, ns, key, environment, minute, calls, denied)
       ${more}
     ) n GROUP BY 2, 3, 4, 5, 6 ORDER BY 2, 3, 4, 5, 6
     ON CONFLICT (project_id, runtime_id, ns, key, environment, minute) DO UPDATE SET
       calls = m.calls + excluded.calls, denied = m.denied + excluded.denied`

const ADD = addingOf('')
/** Looks into every day of events, and almost no batch needs it. */
const ADD_WITH_LATE = addingOf(STORED_OF_LATE)

/** After `insertEvents` and `writeSessions`. */
export async function addCallMinutes(
  sql: SqlTx,
  projectId: string,
  { rows, late }: CallMinutes,
): Promise<void> {
  if (rows.length === 0 && late.length === 0) return
  await sql.query(late.length === 0 ? ADD : ADD_WITH_LATE, [
    projectId,
    rows.map((row) => row.runtimeId),
    rows.map((row) => row.ns),
    rows.map((row) => row.key),
    rows.map((row) => row.environment),
    rows.map((row) => row.minute),
    rows.map((row) => row.calls),
    rows.map((row) => row.denied),
    ...(late.length === 0 ? [] : [late]),
  ])
}

/** A preview looks seven days back. */
const KEPT_DAYS = 8
const BATCH = 5_000

/** One batch of older minutes goes; returns how many. A batch of late events that holds some of them is not waited for. */
export async function forgetCallMinutes(): Promise<number> {
  return await inSqlTransaction(async (sql) => {
    const gone = await sql.query(
      `DELETE FROM call_minutes m USING (
         SELECT project_id, runtime_id, ns, key, environment, minute FROM call_minutes
         WHERE minute < now() - interval '${KEPT_DAYS} days' LIMIT ${BATCH} FOR UPDATE SKIP LOCKED) o
       WHERE (m.project_id, m.runtime_id, m.ns, m.key, m.environment, m.minute)
         = (o.project_id, o.runtime_id, o.ns, o.key, o.environment, o.minute)
       RETURNING 1`,
      [],
    )
    return gone.length
  })
}
