// The newest run of learning per prompt and environment, with what it found (specs/suggestions.md).
import 'server-only'
import type { PlacedRule, Proposal, Tested } from '@signalbox/core/learn'
import type { SampledPrompt, SessionUse } from '@/server/labels/good-sessions.sql.ts'
import type { RowInProject } from '@/server/platform/auth/scope.ts'
import { systemProject } from '@/server/platform/auth/system.ts'
import { lockByName, reader, type Tx } from '@/server/platform/db/transaction.ts'
import { type AuthorizedProjectId, freshId } from '@/server/platform/ids.ts'
import { readRows } from '@/server/platform/sql/rows.ts'

export type LearnStatus = 'queued' | 'running' | 'done' | 'cancelled' | 'failed'

/** Prompt in an environment. */
export type LearnPlace = Omit<SampledPrompt, 'days'>

export interface FoundRule
  extends Pick<Proposal, 'id' | 'kind' | 'group' | 'sentence' | 'unknownEffects'> {
  readonly placed: PlacedRule
  /** What it rests on, as sentences. */
  readonly evidence: string
  readonly good: Tested
  readonly bad: Tested
}

export interface LearnFindings {
  /** Epoch ms. */
  readonly at: number
  /** Sessions of the sample. */
  readonly good: number
  readonly bad: number
  /** Sessions of the prompt by use. */
  readonly uses: Readonly<Partial<Record<SessionUse, number>>>
  /** Days of the sample. */
  readonly days: number
  /** Good sessions that a rule needs. */
  readonly minSessions: number
  /** Version that the rules are compared with; null: none was published. */
  readonly version: number | null
  /** Tools whose calls were not analyzed, by name. */
  readonly skippedTools: readonly string[]
  /** Guards before habits, the clearest first. */
  readonly rules: readonly FoundRule[]
  /** They would have denied too many good sessions. */
  readonly refused: readonly FoundRule[]
  /** All `rules` at once. */
  readonly together: {
    readonly good: Tested
    /** Messages of problems that the present rules do not have. */
    readonly problems: readonly string[]
    /** True: the agent could get into a state from which no stop can pass. */
    readonly isTrap: boolean
  } | null
}

export interface LearnRun extends LearnPlace {
  readonly id: string
  readonly projectId: AuthorizedProjectId
  readonly status: LearnStatus
  readonly error: string | null
  /** Sessions to read; null: not chosen yet. */
  readonly sessionsFound: number | null
  readonly sessionsRead: number
  /** What the newest run that is done found; null: none is. */
  readonly findings: LearnFindings | null
  readonly createdAt: number
  readonly finishedAt: number | null
}

type Stored = NonNullable<Awaited<ReturnType<Tx['learnRun']['findUnique']>>>

function toRun(row: Stored): LearnRun {
  const { id, ns, key, environment, error, sessionsFound, sessionsRead } = row
  return {
    ...{ id, ns, key, environment, error, sessionsFound, sessionsRead },
    projectId: systemProject(row.projectId),
    // Only this module writes both columns.
    status: row.status as LearnStatus,
    findings: row.findings as unknown as LearnFindings | null,
    createdAt: row.createdAt.getTime(),
    finishedAt: row.finishedAt?.getTime() ?? null,
  }
}

/** Null: nothing was learned there yet. */
export async function findLearnRun(
  projectId: AuthorizedProjectId,
  { ns, key, environment }: LearnPlace,
): Promise<LearnRun | null> {
  const row = await reader().learnRun.findUnique({
    where: { projectId_ns_key_environment: { projectId, ns, key, environment } },
  })
  return row === null ? null : toRun(row)
}

/** Null: it was replaced by a newer run, or is deleted. */
export async function findLearnRunById(id: string): Promise<LearnRun | null> {
  const row = await reader().learnRun.findUnique({ where: { id } })
  return row === null ? null : toRun(row)
}

const OPEN = { in: ['queued', 'running'] }

export async function isLearnRunOpen({ id, projectId }: RowInProject): Promise<boolean> {
  return (await reader().learnRun.count({ where: { id, projectId, status: OPEN } })) === 1
}

/** Starts a run. Null: the newest one is queued or running. The findings of earlier runs stay. */
export async function openLearnRun(
  tx: Tx,
  projectId: AuthorizedProjectId,
  { ns, key, environment }: LearnPlace,
): Promise<string | null> {
  const place = { projectId, ns, key, environment }
  const where = { projectId_ns_key_environment: place }
  await lockByName(tx, `learning ${projectId} ${ns}/${key} ${environment}`)
  const found = await tx.learnRun.findUnique({ where, select: { status: true } })
  if (found?.status === 'queued' || found?.status === 'running') return null
  const id = freshId('lrn')
  const fresh = {
    ...{ id, status: 'queued', error: null, sessionsFound: null, sessionsRead: 0 },
    ...{ createdAt: new Date(), finishedAt: null },
  }
  await tx.learnRun.upsert({ where, create: { ...place, ...fresh }, update: fresh })
  return id
}

/** False: it was canceled or is over. */
export async function markLearnProgress(
  { id, projectId }: RowInProject,
  progress: { readonly sessionsFound: number; readonly sessionsRead: number },
): Promise<boolean> {
  const { count } = await reader().learnRun.updateMany({
    where: { id, projectId, status: OPEN },
    data: { status: 'running', ...progress },
  })
  return count === 1
}

/** True: this call ended it. False: it was over before. */
export async function endLearnRun(
  tx: Tx,
  { id, projectId }: RowInProject,
  end:
    | { readonly status: 'done'; readonly findings: LearnFindings }
    | { readonly status: 'cancelled' }
    | { readonly status: 'failed'; readonly error: string },
): Promise<boolean> {
  const { count } = await tx.learnRun.updateMany({
    where: { id, projectId, status: OPEN },
    // Findings are JSON; Prisma's type does not allow optional parts.
    data: {
      ...end,
      ...('findings' in end && { findings: end.findings as object }),
      finishedAt: new Date(),
    },
  })
  return count === 1
}

export interface DuePlace extends LearnPlace {
  readonly projectId: AuthorizedProjectId
}

/** Prompts with enough sessions in the last `days`, and new sessions or labels since the day before the last run. */
export async function listDuePlaces(
  days: number,
  minSessions: number,
): Promise<readonly DuePlace[]> {
  return await readRows<DuePlace>(
    `SELECT a.project_id AS "projectId", a.ns, a.key, a.environment FROM all_activity_days a
     JOIN environments e ON e.project_id = a.project_id AND e.name = a.environment
     LEFT JOIN learn_runs r ON (r.project_id, r.ns, r.key, r.environment) = (a.project_id, a.ns, a.key, a.environment)
     WHERE a.kind = 'session' AND a.day >= (now() - make_interval(days => $1::int))::date
     GROUP BY a.project_id, a.ns, a.key, a.environment, r.created_at
     HAVING sum(a.count) >= $2 AND (r.created_at IS NULL OR max(a.day) >= r.created_at::date - 1 OR EXISTS (
       SELECT 1 FROM session_labels l JOIN sessions s ON s.id = l.session_id WHERE l.project_id = a.project_id
         AND l.labelled_at > r.created_at AND (s.ns, s.key, s.environment) = (a.ns, a.key, a.environment)))`,
    [days, minSessions],
  )
}

export async function hasSessions(
  projectId: AuthorizedProjectId,
  { ns, key, environment }: LearnPlace,
): Promise<boolean> {
  const found = await readRows(
    'SELECT 1 FROM sessions WHERE project_id = $1 AND ns = $2 AND key = $3 AND environment = $4 LIMIT 1',
    [projectId, ns, key, environment],
  )
  return found.length > 0
}

export interface RecordedPrompt {
  /** `ns/key`. */
  readonly prompt: string
  readonly environment: string
  readonly sessions: number
}

const MOST_PROMPTS = 100

/** Prompts that have sessions of the last `days` and no config, most sessions first. */
export async function listRecordedPrompts(
  projectId: AuthorizedProjectId,
  days: number,
): Promise<readonly RecordedPrompt[]> {
  return await readRows<RecordedPrompt>(
    `SELECT a.ns || '/' || a.key AS prompt, a.environment, sum(a.count)::int AS sessions FROM all_activity_days a
     WHERE a.project_id = $1 AND a.kind = 'session' AND a.day >= (now() - make_interval(days => $2::int))::date
       AND NOT EXISTS (SELECT 1 FROM configs c WHERE c.project_id = $1 AND c.ns = a.ns AND c.key = a.key)
     GROUP BY a.ns, a.key, a.environment ORDER BY sessions DESC, prompt, a.environment LIMIT ${MOST_PROMPTS}`,
    [projectId, days],
  )
}
