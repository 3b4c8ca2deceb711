// A search for the smallest change that would have refused one call or stop (specs/prevention.md).
import 'server-only'
import type { ConfigDocument } from '@signalbox/core'
import type { ConfigChange } from '@signalbox/core/analysis'
import type { Candidate, Edit } from '@signalbox/core/prevent'
import type { Claim } from '@signalbox/wire'
import type { SessionUse } from '@/server/labels/good-sessions.sql.ts'
import type { RowInProject } from '@/server/platform/auth/scope.ts'
import { systemProject } from '@/server/platform/auth/system.ts'
import { reader, type Tx } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { freshId } from '@/server/platform/ids.ts'

export type PreventionStatus = 'queued' | 'running' | 'done' | 'cancelled' | 'failed'

export interface FoundChange
  extends Pick<Candidate, 'kind' | 'sentence' | 'outcome' | 'denies' | 'denied' | 'atoms'> {
  readonly edit: Edit
  readonly changes: readonly ConfigChange[]
  /** What it rests on, and what it costs. */
  readonly evidence: string
  /** Other calls and stops that are marked as bad, and how many of them it would have refused. */
  readonly alsoStops: number
  /** Digest of the version that it changes; null: it is not known. */
  readonly madeOn: string | null
  /** Sentences about what it makes wrong. Absent: found before they were looked for. */
  readonly faults?: readonly string[]
}

/** While the search runs: what is found so far. */
export interface StoredFindings {
  /** Best first, at most 5. */
  readonly candidates: readonly FoundChange[]
  /** They refuse something in few good sessions. */
  readonly nearMisses: readonly FoundChange[]
  /** Why no change tells it from good sessions; null: one does. */
  readonly noAnswer: string | null
  readonly goodSessions: number
  readonly goodCalls: number
  readonly otherBad: number
  /** Sessions of the prompt by use. */
  readonly uses: Readonly<Partial<Record<SessionUse, number>>>
  /** Days of the sample. */
  readonly days: number
  /** The search did not end, and better changes may exist. */
  readonly isCut: boolean
}

/** A question about every run, of which the answer is a session that no agent ran. */
export interface PreventedExample {
  readonly ns: string
  readonly key: string
  /** Environment of the good sessions. */
  readonly environment: string
  /** Config that the question is about, without a base. */
  readonly document: ConfigDocument
  readonly question: Claim['question']
}

export interface PreventionRow {
  readonly id: string
  readonly projectId: AuthorizedProjectId
  readonly sessionId: string
  readonly seq: number
  readonly status: PreventionStatus
  readonly error: string | null
  readonly sessionsFound: number | null
  readonly sessionsRead: number
  readonly findings: StoredFindings | null
  /** Null: an agent ran the session. */
  readonly example: PreventedExample | null
  readonly createdAt: number
  readonly finishedAt: number | null
}

type Stored = NonNullable<Awaited<ReturnType<Tx['prevention']['findUnique']>>>

function toRow(row: Stored): PreventionRow {
  const { id, sessionId, seq, error, sessionsFound, sessionsRead, createdAt, finishedAt } = row
  return {
    ...{ id, sessionId, seq, error, sessionsFound, sessionsRead },
    projectId: systemProject(row.projectId),
    // Only this module writes both columns.
    status: row.status as PreventionStatus,
    findings: row.findings as unknown as StoredFindings | null,
    example: row.example as unknown as PreventedExample | null,
    createdAt: createdAt.getTime(),
    finishedAt: finishedAt?.getTime() ?? null,
  }
}

export async function insertPrevention(
  tx: Tx,
  row: {
    readonly projectId: AuthorizedProjectId
    readonly sessionId: string
    readonly seq: number
    readonly example: PreventedExample | null
    readonly createdBy: string
  },
): Promise<string> {
  const id = freshId('prv')
  const { example, ...rest } = row
  // An example is JSON; Prisma's type does not allow optional parts.
  const more = example === null ? {} : { example: example as object }
  await tx.prevention.create({ data: { id, ...rest, ...more } })
  return id
}

/** Null: it does not exist (any more). */
export async function findPrevention(id: string): Promise<PreventionRow | null> {
  const row = await reader().prevention.findUnique({ where: { id } })
  return row === null ? null : toRow(row)
}

/** The newest search for a decision. Null: there is none. */
export async function findNewest(
  projectId: AuthorizedProjectId,
  { sessionId, seq }: Pick<PreventionRow, 'sessionId' | 'seq'>,
): Promise<PreventionRow | null> {
  const row = await reader().prevention.findFirst({
    where: { projectId, sessionId, seq },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
  })
  return row === null ? null : toRow(row)
}

const OPEN = { in: ['queued', 'running'] }

export async function countOpen(tx: Tx, projectId: AuthorizedProjectId): Promise<number> {
  return await tx.prevention.count({ where: { projectId, status: OPEN } })
}

export interface Progress {
  readonly sessionsFound: number
  readonly sessionsRead: number
}

/** Changes nothing when it was canceled or is over. `found`: so far; null: nothing yet. */
export async function markProgress(
  { id, projectId }: RowInProject,
  progress: Progress,
  found: StoredFindings | null,
): Promise<void> {
  await reader().prevention.updateMany({
    where: { id, projectId, status: OPEN },
    data: { status: 'running', ...progress, ...(found && { findings: found as object }) },
  })
}

/** True: this call ended it. False: it was over before. */
export async function endPrevention(
  tx: Tx,
  { id, projectId }: RowInProject,
  end:
    | { readonly status: 'done'; readonly findings: StoredFindings }
    | { readonly status: 'cancelled' }
    | { readonly status: 'failed'; readonly error: string },
): Promise<boolean> {
  const { count } = await tx.prevention.updateMany({
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
