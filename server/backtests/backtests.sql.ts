// A unit (session or pinned case) is written once, with its changes, and only while the run is wanted: not canceled or taken over.
import 'server-only'
import type { JsonObject, JsonValue } from '@signalbox/core'
import type { RowInProject } from '@/server/platform/auth/scope.ts'
import { systemProject } from '@/server/platform/auth/system.ts'
import { inSqlTransaction, type SqlTx } from '@/server/platform/db/sql-transaction.ts'
import { reader, type Tx } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { freshId } from '@/server/platform/ids.ts'
import { countedTerm } from '@/server/platform/sql/counted-term.ts'
import { SESSION_TABLES } from '@/server/sessions/session-columns.sql.ts'
import { type SessionFilter, sessionList } from '@/server/sessions/session-filter.sql.ts'

export type BacktestStatus = 'queued' | 'running' | 'done' | 'cancelled' | 'failed'

/** Sample without a saved view, which is a display setting of a user. */
export type PlainSample =
  | { readonly kind: 'last'; readonly sessions: number }
  /** Sessions that began in the range, epoch ms, `to` excluded. */
  | { readonly kind: 'range'; readonly from: number; readonly to: number }
  | { readonly kind: 'cases' }

/** Sample of sessions. Every run also includes the pinned cases. */
export type Sample = (
  | PlainSample
  | { readonly kind: 'view'; readonly name: string; readonly filter: SessionFilter }
) & {
  /** Environment of the key that requested the run. Absent: a user did, and every environment is sampled. */
  readonly environment?: string
}

export interface NewBacktest {
  readonly projectId: AuthorizedProjectId
  readonly configId: string
  readonly draftId: string | null
  readonly version: number | null
  readonly digest: string
  readonly text: string
  readonly customTypes: readonly string[]
  readonly sample: Sample
  readonly createdBy: string
}

export async function insertBacktest(tx: Tx, backtest: NewBacktest): Promise<string> {
  const id = freshId('bkt')
  const { customTypes, sample, ...row } = backtest
  await tx.backtest.create({
    // A sample is JSON; Prisma's type does not allow optional parts.
    data: { id, ...row, customTypes: [...customTypes], sample: sample as object },
  })
  return id
}

export interface BacktestToRun {
  readonly id: string
  readonly projectId: AuthorizedProjectId
  readonly configId: string
  readonly text: string
  readonly customTypes: readonly string[]
  readonly sample: Sample
  readonly status: BacktestStatus
}

/** Those that wait or run. */
export function countOpenBacktests(tx: Tx, projectId: AuthorizedProjectId): Promise<number> {
  return tx.backtest.count({ where: { projectId, status: { in: ['queued', 'running'] } } })
}

/** Null: the backtest does not exist (any more). */
export async function findBacktestToRun(id: string): Promise<BacktestToRun | null> {
  const row = await reader().backtest.findUnique({ where: { id } })
  if (row === null) return null
  const { configId, text, customTypes } = row
  const projectId = systemProject(row.projectId)
  // Only this module writes both columns.
  const [sample, status] = [row.sample as unknown as Sample, row.status as BacktestStatus]
  return { id, projectId, configId, text, customTypes, sample, status }
}

/** False: it was canceled or is finished. */
export async function markRunning({ id, projectId }: RowInProject): Promise<boolean> {
  const { count } = await reader().backtest.updateMany({
    where: { id, projectId, status: { in: ['queued', 'running'] } },
    data: { status: 'running' },
  })
  if (count === 1) {
    await reader().backtest.updateMany({
      where: { id, projectId, startedAt: null },
      data: { startedAt: new Date() },
    })
  }
  return count === 1
}

/** True: this call ended it. False: it was already over. `error`: only for `failed`. */
export async function endBacktest(
  tx: Tx,
  end: {
    readonly id: string
    readonly projectId: AuthorizedProjectId
    readonly status: 'done' | 'cancelled' | 'failed'
    readonly error?: string
  },
): Promise<boolean> {
  const { id, projectId, status, error = null } = end
  const { count } = await tx.backtest.updateMany({
    where: { id, projectId, status: { in: ['queued', 'running'] } },
    data: { status, error, finishedAt: new Date() },
  })
  return count === 1
}

export async function isWanted({ id, projectId }: RowInProject): Promise<boolean> {
  const where = { id, projectId }
  const row = await reader().backtest.findUnique({ where, select: { status: true } })
  return row?.status === 'running'
}

const MOST_SESSIONS = 5_000

function toSampleFilter(sample: Sample): SessionFilter {
  const { environment } = sample
  if (sample.kind === 'range') return { environment, since: sample.from, until: sample.to }
  return sample.kind === 'view' ? sample.filter : { environment }
}

function computeMostSessions(sample: Sample): number {
  if (sample.kind === 'last') return sample.sessions
  return sample.kind === 'cases' ? 0 : MOST_SESSIONS
}

/** Pinned cases first, then the newest sessions, running ones too. Those that no figure counts are left out. */
export async function chooseUnits(backtest: BacktestToRun): Promise<void> {
  const { id, projectId, configId, sample } = backtest
  const { text, values, bind } = sessionList.where(projectId, toSampleFilter(sample))
  const chosen = `SELECT s.id, s.started_at FROM ${SESSION_TABLES}
    JOIN configs tested ON tested.id = ${bind(configId)} AND tested.project_id = s.project_id
    WHERE ${text} AND s.ns = tested.ns AND s.key = tested.key AND ${countedTerm('s.id')}`
  await inSqlTransaction(async (sql) => {
    const [row] = await sql.query<{ sessions_found: number | null }>(
      'SELECT sessions_found FROM backtests WHERE id = $1 AND project_id = $2 FOR UPDATE',
      [id, projectId],
    )
    if (row === undefined || row.sessions_found !== null) return
    await sql.query(
      `INSERT INTO backtest_units (backtest_id, position, project_id, session_id, case_id)
       SELECT $1, (row_number() OVER (ORDER BY p.created_at, p.id))::int, $2, p.session_id, p.id
       FROM pinned_cases p WHERE p.project_id = $2 AND p.config_id = $3`,
      [id, projectId, configId],
    )
    const isCounted = sample.kind === 'range' || sample.kind === 'view'
    const found = isCounted ? await countSqlRows(sql, chosen, values) : null
    const [run, most] = [bind(id), bind(computeMostSessions(sample))]
    const stored = await countSqlRows(
      sql,
      `INSERT INTO backtest_units (backtest_id, position, project_id, session_id)
       SELECT ${run}, (SELECT count(*)::int FROM backtest_units WHERE backtest_id = ${run})
         + (row_number() OVER (ORDER BY started_at DESC, id DESC))::int, $1, id
       FROM (${chosen} ORDER BY s.started_at DESC, s.id DESC LIMIT ${most}) AS newest RETURNING 1`,
      values,
    )
    await sql.query('UPDATE backtests SET sessions_found = $3 WHERE id = $1 AND project_id = $2', [
      id,
      projectId,
      found ?? stored,
    ])
  })
}

async function countSqlRows(
  sql: SqlTx,
  statement: string,
  values: readonly unknown[],
): Promise<number> {
  const [row] = await sql.query<{ readonly count: number }>(
    `WITH rows AS (${statement}) SELECT count(*)::int AS count FROM rows`,
    values,
  )
  return row?.count ?? 0
}

/** Numbers of calls and stops by their result under the tested config, up to the first divergence. */
export interface VerdictCounts {
  readonly wouldDeny: number
  readonly wouldAllow: number
  readonly wouldBlock: number
  readonly wouldRelease: number
  readonly unchanged: number
  readonly cannotReplay: number
  /** Calls and stops after the first divergence, which the other numbers do not include. */
  readonly lateChanged: number
  readonly lateUnchanged: number
}

export interface UnitResult extends VerdictCounts {
  readonly position: number
  readonly sessionId: string
  readonly reason: string | null
  readonly events: number
  readonly firstDivergence: number | null
  readonly changes: number
}

export interface FinishedUnit extends UnitResult {
  readonly rules: readonly JsonObject[]
  readonly verdict: string | null
}

export interface ChangeRow {
  readonly position: number
  readonly sessionId: string
  readonly seq: number
  readonly subject: string
  readonly class: string
  readonly isLate: boolean
  readonly rule: string | null
  readonly pointer: string | null
  readonly tool: string | null
  readonly before: JsonValue
  readonly after: JsonValue
}

/** Writes units that are not finished yet, with their changes. False: the run is no longer wanted, and nothing was written. */
export async function storeUnits(
  backtest: Pick<BacktestToRun, 'id' | 'projectId'>,
  units: readonly FinishedUnit[],
  changes: readonly ChangeRow[],
): Promise<boolean> {
  const { id, projectId } = backtest
  return await inSqlTransaction(async (sql) => {
    const wanted = await sql.query(
      "SELECT 1 FROM backtests WHERE id = $1 AND status = 'running' FOR SHARE",
      [id],
    )
    if (wanted.length === 0) return false
    const stored = await sql.query<{ position: number }>(
      `UPDATE backtest_units u SET state = CASE WHEN n.reason IS NULL THEN 'done' ELSE 'cannot_replay' END,
         reason = n.reason, events = n.events, first_divergence = n."firstDivergence", would_deny = n."wouldDeny",
         would_allow = n."wouldAllow", would_block = n."wouldBlock", would_release = n."wouldRelease",
         unchanged = n.unchanged, cannot_replay = n."cannotReplay", late_changed = n."lateChanged",
         late_unchanged = n."lateUnchanged", changes = n.changes, rules = n.rules, verdict = n.verdict
       FROM json_to_recordset($2::json) AS n(position int, reason text, events int, "firstDivergence" int, "wouldDeny" int,
         "wouldAllow" int, "wouldBlock" int, "wouldRelease" int, unchanged int, "cannotReplay" int, "lateChanged" int,
         "lateUnchanged" int, changes int, rules jsonb, verdict text)
       WHERE u.backtest_id = $1 AND u.position = n.position AND u.state = 'waiting' RETURNING u.position`,
      [id, JSON.stringify(units)],
    )
    const mine = new Set(stored.map(({ position }) => position))
    const rows = changes.filter(({ position }) => mine.has(position))
    if (rows.length === 0) return true
    await sql.query(
      `INSERT INTO backtest_changes (backtest_id, project_id, position, session_id, seq, subject, class, is_late, rule, pointer,
         tool, before, after)
       SELECT $1, $2, position, "sessionId", seq, subject, class, "isLate", rule, pointer, tool, before, after
       FROM json_to_recordset($3::json) AS n(position int, "sessionId" text, seq int, subject text, class text,
         "isLate" boolean, rule text, pointer text, tool text, before json, after json)`,
      [id, projectId, JSON.stringify(rows)],
    )
    return true
  })
}
