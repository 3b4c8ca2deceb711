import 'server-only'
import type { Question } from '@signalbox/core/prove'
import { type Claim, computeDigest } from '@signalbox/wire'
import type { RowInProject } from '@/server/platform/auth/scope.ts'
import { reader, type Tx } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { freshId } from '@/server/platform/ids.ts'
import { authorName, epochMs, readRows } from '@/server/platform/sql/rows.ts'

export type ClaimQuestion = Exclude<Question, { ask: 'allows_more' } | { ask: 'most_calls' }>

export interface ClaimRow {
  readonly id: string
  readonly question: ClaimQuestion
  readonly questionDigest: string
  readonly expect: Claim['expect']
}

export interface ListedClaim extends ClaimRow {
  /** Null: they left. */
  readonly author: string | null
  readonly createdAt: number
}

/** Oldest first. */
export async function listClaims(
  where: { readonly projectId: AuthorizedProjectId; readonly configId: string },
  tx: Tx = reader(),
): Promise<readonly ClaimRow[]> {
  const { projectId, configId } = where
  return await tx.$queryRaw<ClaimRow[]>`
    SELECT id, question, question_digest AS "questionDigest", expect FROM claims
    WHERE project_id = ${projectId} AND config_id = ${configId} ORDER BY created_at, id`
}

/** Of configs whose rows the caller holds. */
export async function listClaimed(
  tx: Tx,
  configIds: readonly string[],
): Promise<
  readonly {
    readonly configId: string
    readonly questionDigest: string
    readonly expect: string
  }[]
> {
  return await tx.claim.findMany({
    where: { configId: { in: [...configIds] } },
    select: { configId: true, questionDigest: true, expect: true },
  })
}

export async function hasClaims(where: {
  readonly projectId: AuthorizedProjectId
  readonly configId: string
}): Promise<boolean> {
  return (await reader().claim.findFirst({ where, select: { id: true } })) !== null
}

/** With authors, oldest first. */
export async function listAuthoredClaims(
  projectId: AuthorizedProjectId,
  configId: string,
): Promise<readonly ListedClaim[]> {
  return await readRows<ListedClaim>(
    `SELECT l.id, l.question, l.question_digest AS "questionDigest", l.expect, ${authorName('l.created_by')} AS author,
       ${epochMs('l.created_at')} AS "createdAt"
     FROM claims l WHERE l.project_id = $1 AND l.config_id = $2 ORDER BY l.created_at, l.id`,
    [projectId, configId],
  )
}

/** Null: the project has no such claim. */
export async function findClaim(
  { projectId, id }: RowInProject,
  tx: Tx,
): Promise<(ClaimRow & { readonly configId: string }) | null> {
  const rows = await tx.$queryRaw<(ClaimRow & { configId: string })[]>`
    SELECT id, config_id AS "configId", question, question_digest AS "questionDigest", expect FROM claims
    WHERE project_id = ${projectId} AND id = ${id}`
  return rows[0] ?? null
}

export interface NewClaim extends Claim {
  readonly projectId: AuthorizedProjectId
  readonly configId: string
  readonly createdBy: string
}

/** Leaves out questions about which the config has a claim already. Returns the ids of the others. */
export async function insertClaims(
  tx: Tx,
  claims: readonly NewClaim[],
): Promise<readonly string[]> {
  const data = claims.map((claim) => ({
    id: freshId('clm'),
    questionDigest: computeDigest(claim.question),
    ...claim,
  }))
  const made = await tx.claim.createManyAndReturn({
    data,
    skipDuplicates: true,
    select: { id: true },
  })
  return made.map(({ id }) => id)
}

/** False: another request deleted it. */
export async function deleteClaim(tx: Tx, { id, projectId }: RowInProject): Promise<boolean> {
  const { count } = await tx.claim.deleteMany({ where: { id, projectId } })
  return count === 1
}
