// Environments of a project: their order, their demands on a release, and the bundle revision, which only grows.
import 'server-only'
import type { InProject } from '@/server/platform/auth/scope.ts'
import { lockByName, reader, type Tx } from '@/server/platform/db/transaction.ts'
import { type AuthorizedProjectId, freshId } from '@/server/platform/ids.ts'

export interface EnvironmentRow {
  readonly id: string
  readonly projectId: AuthorizedProjectId
  readonly name: string
  /** Place in the order of promotion, from 0. */
  readonly position: number
  readonly revision: number
  readonly requiresNote: boolean
  readonly requiresTypedName: boolean
  /** 0 to 5, from users who did not edit the text last. */
  readonly requiredApprovals: number
  readonly rollbackSkipsApproval: boolean
  readonly requiresBacktest: boolean
}

export type EnvironmentDemands = Pick<
  EnvironmentRow,
  | 'requiresNote'
  | 'requiresTypedName'
  | 'requiredApprovals'
  | 'rollbackSkipsApproval'
  | 'requiresBacktest'
>

/** An environment of an authorized project. Queries find nothing if it belongs to another project. */
export interface EnvironmentPlace extends InProject {
  readonly environmentId: string
}

export interface PointerPlace extends EnvironmentPlace {
  readonly configId: string
}

export function wherePointer({ projectId, environmentId, configId }: PointerPlace) {
  return { environmentId, configId, environment: { projectId } }
}

export interface LockedEnvironment {
  readonly id: string
  readonly projectSlug: string
  readonly name: string
  readonly revision: number
}

export async function listEnvironments(
  projectId: AuthorizedProjectId,
  tx: Tx = reader(),
): Promise<readonly EnvironmentRow[]> {
  const rows = await tx.environment.findMany({
    where: { projectId },
    orderBy: { position: 'asc' },
    take: 50,
  })
  return rows.map((row) => ({ ...row, projectId }))
}

/** Give `tx` when its demands decide a release. */
export async function findEnvironment(
  where: { readonly projectId: AuthorizedProjectId; readonly name: string },
  tx: Tx = reader(),
): Promise<(EnvironmentRow & { readonly projectSlug: string }) | null> {
  const row = await tx.environment.findUnique({
    where: { projectId_name: where },
    include: { project: { select: { slug: true } } },
  })
  if (row === null) return null
  const { project, ...environment } = row
  return { ...environment, projectId: where.projectId, projectSlug: project.slug }
}

/** Always the first lock of a publishing transaction. Null: no such environment. */
export async function lockEnvironment(
  tx: Tx,
  { projectId, environmentId }: EnvironmentPlace,
): Promise<LockedEnvironment | null> {
  const rows = await tx.$queryRaw<LockedEnvironment[]>`
    SELECT e.id, p.slug AS "projectSlug", e.name, e.revision
    FROM environments e JOIN projects p ON p.id = e.project_id
    WHERE e.id = ${environmentId} AND e.project_id = ${projectId} FOR UPDATE OF e`
  return rows[0] ?? null
}

/** Only for the holder of the environment's lock. */
export async function setRevision(
  tx: Tx,
  { projectId, environmentId, revision }: EnvironmentPlace & { readonly revision: number },
): Promise<void> {
  await tx.environment.update({ where: { id: environmentId, projectId }, data: { revision } })
}

/** Blocks other changes of the project's list of environments until this transaction ends. */
export async function lockEnvironmentList(tx: Tx, projectId: AuthorizedProjectId): Promise<void> {
  await lockByName(tx, `environments:${projectId}`)
}

/** Only for the holder of the list's lock. Returns the new id. */
export async function insertEnvironment(
  tx: Tx,
  row: EnvironmentDemands & {
    readonly projectId: AuthorizedProjectId
    readonly name: string
    readonly position: number
  },
): Promise<string> {
  const id = freshId('env')
  await tx.environment.create({ data: { id, ...row } })
  return id
}

export async function updateDemands(
  tx: Tx,
  { projectId, environmentId }: EnvironmentPlace,
  demands: EnvironmentDemands,
): Promise<void> {
  await tx.environment.update({ where: { id: environmentId, projectId }, data: demands })
}

/** Gives the environments positions 0, 1, … in the order of `ids`. Only for the holder of the list's lock. */
export async function setPositions(
  tx: Tx,
  projectId: AuthorizedProjectId,
  ids: readonly string[],
): Promise<void> {
  for (const [position, id] of ids.entries()) {
    await tx.environment.update({ where: { id, projectId }, data: { position } })
  }
}

/** Only for the holder of its lock, and only when nothing uses it. */
export async function deleteEnvironment(
  tx: Tx,
  { projectId, environmentId }: EnvironmentPlace,
): Promise<void> {
  await tx.environment.delete({ where: { id: environmentId, projectId } })
}

export interface EnvironmentUse {
  readonly releases: number
  readonly keys: number
  readonly runtimes: number
  readonly sessions: number
}

/** By environment name; counts sessions up to 1,000. */
export async function countEnvironmentUses(
  projectId: AuthorizedProjectId,
  tx: Tx = reader(),
): Promise<ReadonlyMap<string, EnvironmentUse>> {
  const rows = await tx.$queryRaw<(EnvironmentUse & { readonly name: string })[]>`
    SELECT e.name,
      (SELECT count(*)::int FROM releases r WHERE r.environment_id = e.id) AS releases,
      (SELECT count(*)::int FROM api_keys k WHERE k.project_id = e.project_id AND k.environment = e.name
        AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())) AS keys,
      (SELECT count(*)::int FROM runtimes t WHERE t.project_id = e.project_id AND t.environment = e.name) AS runtimes,
      (SELECT count(*)::int FROM (SELECT 1 FROM sessions s
        WHERE s.project_id = e.project_id AND s.environment = e.name LIMIT 1000) AS few) AS sessions
    FROM environments e WHERE e.project_id = ${projectId}`
  return new Map(rows.map(({ name, ...use }) => [name, use]))
}
