// Environments of a project: their order, their demands on a release, and the bundle revision that only grows.
import 'server-only'
import { reader, type Tx } from './transaction.ts'

export interface EnvironmentRow {
  readonly id: string
  readonly projectId: string
  readonly name: string
  /** Order of promotion, from 0. */
  readonly position: number
  readonly revision: number
  readonly requiresNote: boolean
  readonly requiresTypedName: boolean
}

export interface LockedEnvironment {
  readonly id: string
  readonly projectId: string
  readonly projectSlug: string
  readonly name: string
  readonly revision: number
}

export async function listEnvironments(projectId: string): Promise<readonly EnvironmentRow[]> {
  return await reader().environment.findMany({
    where: { projectId },
    orderBy: { position: 'asc' },
    take: 50,
  })
}

export async function findEnvironment(where: {
  readonly projectId: string
  readonly name: string
}): Promise<(EnvironmentRow & { readonly projectSlug: string }) | null> {
  const row = await reader().environment.findUnique({
    where: { projectId_name: where },
    include: { project: { select: { slug: true } } },
  })
  if (row === null) return null
  const { project, ...environment } = row
  return { ...environment, projectSlug: project.slug }
}

/**
 * Locks the environment until the transaction ends: releases of one environment happen one after another. Always the
 * first lock that a publishing transaction takes. Null: no such environment.
 */
export async function lockEnvironment(
  tx: Tx,
  environmentId: string,
): Promise<LockedEnvironment | null> {
  const rows = await tx.$queryRaw<LockedEnvironment[]>`
    SELECT e.id, e.project_id AS "projectId", p.slug AS "projectSlug", e.name, e.revision
    FROM environments e JOIN projects p ON p.id = e.project_id
    WHERE e.id = ${environmentId} FOR UPDATE OF e`
  return rows[0] ?? null
}

/** Only for the holder of the environment's lock. */
export async function setRevision(
  tx: Tx,
  change: { readonly environmentId: string; readonly revision: number },
): Promise<void> {
  await tx.environment.update({
    where: { id: change.environmentId },
    data: { revision: change.revision },
  })
}
