import 'server-only'
import type { JsonValue } from '@signalbox/core'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { countedTerm } from '@/server/platform/sql/counted-term.ts'
import { formatCursor, type Place } from '@/server/platform/sql/keyset.ts'
import { epochMs, readRows } from '@/server/platform/sql/rows.ts'
import { requestedArgs } from './requested-args.sql.ts'

export type ApprovalOutcome = 'approved' | 'denied' | 'timed_out' | 'unavailable' | 'ended'

export interface CallApprovalFacts {
  readonly id: string
  readonly environment: string
  readonly sessionId: string
  readonly seq: number
  readonly callId: string
  readonly tool: string
  readonly ns: string
  readonly key: string
  /** Number of the version in force; null: it was not published here. */
  readonly configVersion: number | null
  readonly rules: readonly string[]
  readonly requestedAt: number
  readonly waitsUntil: number
  /** Time at which the runtime last asked for the decision; null: never. */
  readonly askedAt: number | null
  readonly decision: 'approved' | 'denied' | null
  readonly decidedName: string | null
  readonly decidedAt: number | null
  readonly note: string | null
  readonly outcome: ApprovalOutcome | null
  readonly outcomeSeq: number | null
  readonly outcomeAt: number | null
  readonly outcomeNote: string | null
  /** Arguments as recorded, after redaction; null: the event is not stored, or retention removed it. */
  readonly args: JsonValue | null
}

type Stored = Omit<CallApprovalFacts, 'args'>

export interface EarlierApprovals {
  readonly approved: number
  readonly denied: number
  readonly unanswered: number
  readonly lastDecision: 'approved' | 'denied' | null
  readonly lastName: string | null
  readonly lastAt: number | null
}

export interface WaitingCall extends CallApprovalFacts {
  readonly earlier: EarlierApprovals
}

/** SQL condition for the row `a`: not decided, not ended in the log, and still waiting. */
export const IS_WAITING = 'a.decision IS NULL AND a.outcome IS NULL AND a.waits_until > now()'

const COLUMNS = `a.id, a.environment, a.session_id AS "sessionId", a.seq, a.call_id AS "callId", a.tool, a.ns, a.key,
  v.number AS "configVersion", a.rules, ${epochMs('a.requested_at')} AS "requestedAt",
  ${epochMs('a.waits_until')} AS "waitsUntil", ${epochMs('a.asked_at')} AS "askedAt", a.decision,
  a.decided_name AS "decidedName", ${epochMs('a.decided_at')} AS "decidedAt", a.note, a.outcome,
  a.outcome_seq AS "outcomeSeq", ${epochMs('a.outcome_at')} AS "outcomeAt", a.outcome_note AS "outcomeNote"`

const SOURCES = `call_approvals a
  LEFT JOIN LATERAL (
    SELECT v.number FROM config_versions v JOIN configs c ON c.id = v.config_id
    WHERE c.project_id = a.project_id AND c.ns = a.ns AND c.key = a.key AND v.digest = a.config_digest LIMIT 1
  ) v ON true`

const EARLIER = `LEFT JOIN LATERAL (
    SELECT json_build_object(
      'approved', count(*) FILTER (WHERE b.decision = 'approved'),
      'denied', count(*) FILTER (WHERE b.decision = 'denied'),
      'unanswered', count(*) FILTER (WHERE b.decision IS NULL),
      'lastDecision', (array_agg(b.decision ORDER BY b.decided_at DESC) FILTER (WHERE b.decision IS NOT NULL))[1],
      'lastName', (array_agg(b.decided_name ORDER BY b.decided_at DESC) FILTER (WHERE b.decision IS NOT NULL))[1],
      'lastAt', ${epochMs('max(b.decided_at)')}
    ) AS earlier
    FROM (
      SELECT * FROM call_approvals p
      WHERE p.project_id = a.project_id AND p.ns = a.ns AND p.key = a.key AND p.tool = a.tool
        AND p.environment = a.environment AND p.requested_at < a.requested_at
        AND (p.decision IS NOT NULL OR p.outcome IS NOT NULL OR p.waits_until <= now())
      ORDER BY p.requested_at DESC LIMIT 1000
    ) b
  ) h ON true`

async function withArgs<Row extends Stored>(
  projectId: AuthorizedProjectId,
  rows: readonly Row[],
): Promise<readonly (Row & Pick<CallApprovalFacts, 'args'>)[]> {
  const args = await requestedArgs(projectId, rows)
  return rows.map((row) => ({ ...row, args: args.get(row.id) ?? null }))
}

const MOST_WAITING = 200

/** The longest waiting first; at most 200. */
export async function listWaiting(
  projectId: AuthorizedProjectId,
  environment: string | undefined,
): Promise<readonly WaitingCall[]> {
  const rows = await readRows<Stored & Pick<WaitingCall, 'earlier'>>(
    `SELECT ${COLUMNS}, h.earlier FROM ${SOURCES} ${EARLIER}
     WHERE a.project_id = $1 AND ($2::text IS NULL OR a.environment = $2) AND ${IS_WAITING}
     ORDER BY a.requested_at, a.id LIMIT ${MOST_WAITING}`,
    [projectId, environment ?? null],
  )
  return await withArgs(projectId, rows)
}

export async function countWaiting(
  projectId: AuthorizedProjectId,
  environment: string | undefined,
): Promise<number> {
  const [row] = await readRows<{ count: number }>(
    `SELECT count(*)::int AS count FROM call_approvals a
     WHERE a.project_id = $1 AND ($2::text IS NULL OR a.environment = $2) AND ${IS_WAITING}
       AND ${countedTerm('a.session_id')}`,
    [projectId, environment ?? null],
  )
  return row?.count ?? 0
}

export const SETTLED_KINDS = ['approved', 'denied', 'unanswered', 'too_late'] as const
export type SettledKind = (typeof SETTLED_KINDS)[number]

/** `too_late`: a user decided, but the call was denied nevertheless, or its result is unknown. */
const OF_KIND: Readonly<Record<SettledKind, string>> = {
  approved: "a.decision = 'approved' AND (a.outcome IS NULL OR a.outcome = 'approved')",
  denied: "a.decision = 'denied'",
  unanswered: 'a.decision IS NULL',
  too_late: "a.decision = 'approved' AND a.outcome <> 'approved'",
}

export interface SettledCall extends CallApprovalFacts {
  /** Time of the decision; undecided: of the end in the log, or of the wait. Rows are ordered by it. */
  readonly settledAt: number
}

const SETTLED_AT = 'COALESCE(a.decided_at, a.outcome_at, a.waits_until)'

export interface SettledFilter {
  readonly environment?: string | undefined
  readonly kind?: SettledKind | undefined
  readonly sessionId?: string | undefined
}

export interface SettledPage {
  readonly calls: readonly SettledCall[]
  readonly nextCursor: string | null
}

export async function listSettled(
  projectId: AuthorizedProjectId,
  filter: SettledFilter,
  page: { readonly after: Place | null; readonly limit: number },
): Promise<SettledPage> {
  const values: unknown[] = [projectId]
  const bind = (value: unknown): string => `$${values.push(value)}`
  const terms = ['a.project_id = $1', `NOT (${IS_WAITING})`]
  if (filter.environment !== undefined) terms.push(`a.environment = ${bind(filter.environment)}`)
  if (filter.sessionId !== undefined) terms.push(`a.session_id = ${bind(filter.sessionId)}`)
  if (filter.kind !== undefined) terms.push(OF_KIND[filter.kind])
  if (page.after !== null) {
    const at = `to_timestamp(${bind(page.after.at)}::float8 / 1000)`
    terms.push(`(${SETTLED_AT}, a.id) < (${at}, ${bind(page.after.id)})`)
  }
  const rows = await readRows<Stored & Pick<SettledCall, 'settledAt'>>(
    `SELECT ${COLUMNS}, ${epochMs(SETTLED_AT)} AS "settledAt" FROM ${SOURCES} WHERE ${terms.join(' AND ')}
     ORDER BY ${SETTLED_AT} DESC, a.id DESC LIMIT ${bind(page.limit + 1)}`,
    values,
  )
  const calls = await withArgs(projectId, rows.slice(0, page.limit))
  const last = rows.length > page.limit ? calls.at(-1) : undefined
  const nextCursor = last === undefined ? null : formatCursor({ at: last.settledAt, id: last.id })
  return { calls, nextCursor }
}

export async function findCallApproval(
  projectId: AuthorizedProjectId,
  id: string,
): Promise<CallApprovalFacts | null> {
  const rows = await readRows<Stored>(
    `SELECT ${COLUMNS} FROM ${SOURCES} WHERE a.project_id = $1 AND a.id = $2`,
    [projectId, id],
  )
  const [call] = await withArgs(projectId, rows)
  return call ?? null
}
