// Sums over the finished units, so that a running or canceled run shows its progress.
import 'server-only'
import { FIRST_SEMANTICS, SEMANTICS } from '@signalbox/core'
import type { Tx } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { authorName, epochMs, readRows } from '@/server/platform/sql/rows.ts'
import type { BacktestStatus, Sample, UnitResult, VerdictCounts } from './backtests.sql.ts'
import type { CaseVerdict } from './pinned-cases.sql.ts'

export interface BacktestSums extends VerdictCounts {
  readonly sessionsDone: number
  readonly sessions: number
  readonly casesDone: number
  readonly cases: number
  /** Sessions in which the agent would have noticed a difference. */
  readonly diverged: number
  readonly events: number
}

export interface BacktestRow extends BacktestSums {
  readonly id: string
  readonly configId: string
  readonly ns: string
  readonly key: string
  readonly draftId: string | null
  readonly version: number | null
  readonly digest: string
  readonly sample: Sample
  readonly status: BacktestStatus
  readonly error: string | null
  /** Number of sessions in the sample; larger than `sessions` if the run is limited. Null: not chosen yet. */
  readonly sessionsFound: number | null
  readonly author: string | null
  readonly createdAt: number
  readonly startedAt: number | null
  readonly finishedAt: number | null
}

const sum = (column: string): string =>
  `(coalesce(sum(u.${column}) FILTER (WHERE u.case_id IS NULL), 0))::int`
const count = (where: string): string => `(count(*) FILTER (WHERE ${where}))::int`

const SUMS = `${sum('would_deny')} AS "wouldDeny", ${sum('would_allow')} AS "wouldAllow",
  ${sum('would_block')} AS "wouldBlock", ${sum('would_release')} AS "wouldRelease", ${sum('unchanged')} AS unchanged,
  ${sum('cannot_replay')} AS "cannotReplay", ${sum('late_changed')} AS "lateChanged",
  ${sum('late_unchanged')} AS "lateUnchanged", ${sum('events')} AS events,
  ${count("u.case_id IS NULL AND u.state <> 'waiting'")} AS "sessionsDone", ${count('u.position IS NOT NULL AND u.case_id IS NULL')} AS sessions,
  ${count("u.case_id IS NOT NULL AND u.state <> 'waiting'")} AS "casesDone", ${count('u.case_id IS NOT NULL')} AS cases,
  ${count('u.case_id IS NULL AND u.first_divergence IS NOT NULL')} AS diverged`

const OF_BACKTEST = `b.id, b.config_id AS "configId", c.ns, c.key, b.draft_id AS "draftId", b.version, b.digest, b.sample,
  b.status, b.error, b.sessions_found AS "sessionsFound", ${authorName('b.created_by')} AS author,
  ${epochMs('b.created_at')} AS "createdAt", ${epochMs('b.started_at')} AS "startedAt",
  ${epochMs('b.finished_at')} AS "finishedAt"`

/** `where`: condition on `b`. `values`: its parameters after the project. */
async function select(
  projectId: AuthorizedProjectId,
  where: string,
  values: readonly unknown[],
): Promise<readonly BacktestRow[]> {
  return await readRows<BacktestRow>(
    `SELECT ${OF_BACKTEST}, t.* FROM backtests b JOIN configs c ON c.id = b.config_id
     CROSS JOIN LATERAL (SELECT ${SUMS} FROM backtest_units u WHERE u.backtest_id = b.id) AS t
     WHERE b.project_id = $1 AND ${where}`,
    [projectId, ...values],
  )
}

export async function findBacktest(
  projectId: AuthorizedProjectId,
  id: string,
): Promise<BacktestRow | null> {
  return (await select(projectId, 'b.id = $2', [id]))[0] ?? null
}

/** The newest 20. `environment` null: all of them, else those that a key of this environment requested. */
export async function listBacktests(
  projectId: AuthorizedProjectId,
  configId: string,
  environment: string | null,
): Promise<readonly BacktestRow[]> {
  const where = `b.config_id = $2 AND ($3::text IS NULL OR b.sample ->> 'environment' = $3)
    ORDER BY b.created_at DESC, b.id DESC LIMIT 20`
  return await select(projectId, where, [configId, environment])
}

export interface TestedVersion extends BacktestSums {
  readonly number: number
  readonly backtestId: string
}

/** Versions, among the newest 200, whose content was backtested to the end, newest first. */
export async function listTestedVersions(
  projectId: AuthorizedProjectId,
  configId: string,
): Promise<readonly TestedVersion[]> {
  return await readRows<TestedVersion>(
    `SELECT v.number, b.id AS "backtestId", t.*
     FROM (SELECT number, digest FROM config_versions WHERE project_id = $1 AND config_id = $2
       ORDER BY number DESC LIMIT 200) v
     JOIN (SELECT DISTINCT ON (digest) digest, id FROM backtests
       WHERE project_id = $1 AND config_id = $2 AND status = 'done'
       ORDER BY digest, created_at DESC, id DESC) b ON b.digest = v.digest
     CROSS JOIN LATERAL (SELECT ${SUMS} FROM backtest_units u WHERE u.backtest_id = b.id) AS t
     ORDER BY v.number DESC`,
    [projectId, configId],
  )
}

export interface CaseResult {
  readonly caseId: string
  readonly name: string
  readonly note: string | null
  readonly kind: 'call' | 'stop'
  readonly sessionId: string
  readonly seq: number
  readonly expected: CaseVerdict
  /** Null: not replayed yet; `unknown`: it cannot be replayed. */
  readonly verdict: CaseVerdict | 'unknown' | null
  readonly reason: string | null
}

/** Cases that still exist, with their current expectation; failing ones first. `environment` null: of any. */
export async function listCaseResults(
  projectId: AuthorizedProjectId,
  backtestId: string,
  environment: string | null,
): Promise<readonly CaseResult[]> {
  return await readRows<CaseResult>(
    `SELECT p.id AS "caseId", p.name, p.note, p.kind, p.session_id AS "sessionId", p.seq, p.expected, u.verdict, u.reason
     FROM backtest_units u JOIN pinned_cases p ON p.id = u.case_id
     WHERE u.project_id = $1 AND u.backtest_id = $2 AND ($3::text IS NULL OR p.environment = $3)
     ORDER BY u.verdict IS NULL, u.verdict = p.expected, u.verdict = 'unknown', u.position`,
    [projectId, backtestId, environment],
  )
}

export interface RuleChanges {
  /** Null: the change names no rule. */
  readonly rule: string | null
  readonly pointer: string | null
  readonly class: ChangeClass
  readonly changes: number
  readonly late: number
  readonly sessions: number
}

export type ChangeClass =
  | 'would_deny'
  | 'would_allow'
  | 'would_block'
  | 'would_release'
  | 'otherwise'

/** Most changes first; at most 200 groups. */
export async function groupChanges(
  projectId: AuthorizedProjectId,
  backtestId: string,
): Promise<readonly RuleChanges[]> {
  return await readRows<RuleChanges>(
    `SELECT rule, min(pointer) AS pointer, class, count(*)::int AS changes, (count(*) FILTER (WHERE is_late))::int AS late,
       count(DISTINCT session_id)::int AS sessions
     FROM backtest_changes WHERE project_id = $1 AND backtest_id = $2 GROUP BY rule, class
     ORDER BY class = 'otherwise', count(*) FILTER (WHERE NOT is_late) DESC, count(*) DESC, rule LIMIT 200`,
    [projectId, backtestId],
  )
}

export interface UnreplayedRule {
  readonly rule: string
  readonly fidelity: 'approximate' | 'cannot_replay'
  readonly reason: string
  readonly sessions: number
}

export async function listUnreplayedRules(
  projectId: AuthorizedProjectId,
  backtestId: string,
): Promise<readonly UnreplayedRule[]> {
  return await readRows<UnreplayedRule>(
    `SELECT r.rule, r.fidelity, r.reason, count(*)::int AS sessions
     FROM backtest_units u CROSS JOIN LATERAL jsonb_to_recordset(u.rules) AS r(rule text, fidelity text, reason text)
     WHERE u.project_id = $1 AND u.backtest_id = $2 AND u.case_id IS NULL GROUP BY 1, 2, 3 ORDER BY r.fidelity DESC, 4 DESC, 1
     LIMIT 200`,
    [projectId, backtestId],
  )
}

export async function listUnreplayedSessions(
  projectId: AuthorizedProjectId,
  backtestId: string,
): Promise<readonly { readonly reason: string; readonly sessions: number }[]> {
  return await readRows(
    `SELECT reason, count(*)::int AS sessions FROM backtest_units
     WHERE project_id = $1 AND backtest_id = $2 AND case_id IS NULL AND reason IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1`,
    [projectId, backtestId],
  )
}

export interface OlderSemantics {
  readonly semantics: number
  readonly sessions: number
}

export async function listOlderSemantics(
  projectId: AuthorizedProjectId,
  backtestId: string,
): Promise<readonly OlderSemantics[]> {
  return await readRows(
    `SELECT n.semantics, count(*)::int AS sessions FROM backtest_units u
     JOIN sessions s ON s.id = u.session_id AND s.project_id = u.project_id
     CROSS JOIN LATERAL (
       SELECT coalesce((e.data::jsonb ->> 'semantics')::int, $3) AS semantics FROM session_events e
       WHERE s.archived_at IS NULL AND e.partition_day = s.partition_day AND e.session_id = s.id AND e.seq = 1
       UNION ALL SELECT coalesce(a.semantics, $3) FROM archived_sessions a
       WHERE s.archived_at IS NOT NULL AND a.session_id = s.id) AS n
     WHERE u.project_id = $1 AND u.backtest_id = $2 AND u.case_id IS NULL AND u.state = 'done' AND n.semantics < $4
     GROUP BY 1 ORDER BY 1`,
    [projectId, backtestId, FIRST_SEMANTICS, SEMANTICS],
  )
}

export interface ChangeSide {
  /** allowed | denied | error | blocked | bypassed | no_checker | asks | told | silent */
  readonly verdict: string
  readonly sentence: string | null
}

export interface ListedChange {
  readonly position: number
  readonly seq: number
  readonly subject: string
  readonly sessionId: string
  readonly class: ChangeClass
  readonly isLate: boolean
  readonly rule: string | null
  readonly pointer: string | null
  readonly tool: string | null
  readonly before: ChangeSide
  readonly after: ChangeSide
}

export interface ChangeFilter {
  readonly rule?: string | undefined
  readonly class?: ChangeClass | undefined
  readonly sessionId?: string | undefined
}

export interface ChangePlace {
  readonly position: number
  readonly seq: number
  readonly subject: string
}

/** In order of session, newest first, and of event. */
export async function listChanges(
  projectId: AuthorizedProjectId,
  backtestId: string,
  page: {
    readonly filter: ChangeFilter
    readonly after: ChangePlace | null
    readonly limit: number
  },
): Promise<readonly ListedChange[]> {
  const { filter, after, limit } = page
  return await readRows<ListedChange>(
    `SELECT position, seq, subject, session_id AS "sessionId", class, is_late AS "isLate", rule, pointer, tool, before, after
     FROM backtest_changes
     WHERE project_id = $1 AND backtest_id = $2 AND ($3::text IS NULL OR rule = $3) AND ($4::text IS NULL OR class = $4)
       AND ($5::text IS NULL OR session_id = $5)
       AND ($6::int IS NULL OR (position, seq, subject) > ($6, $7, $8))
     ORDER BY position, seq, subject LIMIT $9`,
    [
      ...[
        projectId,
        backtestId,
        filter.rule ?? null,
        filter.class ?? null,
        filter.sessionId ?? null,
      ],
      ...[after?.position ?? null, after?.seq ?? null, after?.subject ?? null, limit],
    ],
  )
}

export interface ListedUnit extends UnitResult {
  readonly state: 'waiting' | 'done' | 'cannot_replay'
  readonly startedAt: number | null
}

export async function listUnits(
  projectId: AuthorizedProjectId,
  backtestId: string,
  page: { readonly after: number; readonly limit: number },
): Promise<readonly ListedUnit[]> {
  return await readRows<ListedUnit>(
    `SELECT u.position, u.session_id AS "sessionId", u.state, u.reason, u.events, u.first_divergence AS "firstDivergence",
       u.would_deny AS "wouldDeny", u.would_allow AS "wouldAllow", u.would_block AS "wouldBlock",
       u.would_release AS "wouldRelease", u.unchanged, u.cannot_replay AS "cannotReplay", u.late_changed AS "lateChanged",
       u.late_unchanged AS "lateUnchanged", u.changes, ${epochMs('s.started_at')} AS "startedAt"
     FROM backtest_units u LEFT JOIN sessions s ON s.id = u.session_id AND s.project_id = u.project_id
     WHERE u.project_id = $1 AND u.backtest_id = $2 AND u.case_id IS NULL AND u.position > $3 ORDER BY u.position LIMIT $4`,
    [projectId, backtestId, page.after, page.limit],
  )
}

export interface RunFact {
  readonly id: string
  readonly digest: string
  readonly status: BacktestStatus
  readonly finishedAt: number | null
  readonly wouldDeny: number
  readonly wouldBlock: number
}

/**
 * The run that represents a text: the newest finished one of its digest, or else one in progress, or else the newest of the config for any
 * text. Null: there is none. Give `tx` when the answer decides a write.
 */
export async function findRunFor(
  where: {
    readonly projectId: AuthorizedProjectId
    readonly configId: string
    readonly digest: string
  },
  tx: Tx,
): Promise<RunFact | null> {
  const { projectId, configId, digest } = where
  const rows = await tx.$queryRaw<RunFact[]>`
    SELECT b.id, b.digest, b.status, (extract(epoch FROM b.finished_at) * 1000)::float8 AS "finishedAt",
      coalesce(t.deny, 0)::int AS "wouldDeny", coalesce(t.block, 0)::int AS "wouldBlock"
    FROM backtests b
    CROSS JOIN LATERAL (SELECT sum(would_deny) AS deny, sum(would_block) AS block FROM backtest_units u
      WHERE u.backtest_id = b.id AND u.case_id IS NULL) AS t
    WHERE b.project_id = ${projectId} AND b.config_id = ${configId} AND b.status IN ('done', 'queued', 'running')
    ORDER BY b.digest = ${digest} DESC, b.digest = ${digest} AND b.status = 'done' DESC, b.created_at DESC, b.id DESC LIMIT 1`
  return rows[0] ?? null
}

export async function listFailingCases(
  projectId: AuthorizedProjectId,
  backtestId: string,
  tx: Tx,
): Promise<readonly { readonly id: string; readonly name: string }[]> {
  return await tx.$queryRaw<{ id: string; name: string }[]>`
    SELECT p.id, p.name FROM backtest_units u JOIN pinned_cases p ON p.id = u.case_id
    WHERE u.project_id = ${projectId} AND u.backtest_id = ${backtestId} AND u.verdict NOT IN (p.expected, 'unknown')
    ORDER BY u.position LIMIT 200`
}
