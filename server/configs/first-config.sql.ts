// Users' drafts and releases use the configs and releases services.
import 'server-only'
import type { JsonObject } from '@signalbox/core'
import type { Tx } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { freshId } from '@/server/platform/ids.ts'

export interface FirstConfig {
  readonly projectId: AuthorizedProjectId
  readonly ns: string
  readonly key: string
  readonly digest: string
  readonly text: string
  readonly document: JsonObject
  readonly authorId: string
}

export async function hasConfigs(tx: Tx, projectId: AuthorizedProjectId): Promise<boolean> {
  return (await tx.config.findFirst({ where: { projectId }, select: { id: true } })) !== null
}

export async function hasConfig(
  tx: Tx,
  where: { readonly projectId: AuthorizedProjectId; readonly ns: string; readonly key: string },
): Promise<boolean> {
  return (await tx.config.findFirst({ where, select: { id: true } })) !== null
}

export async function findEnvironmentId(
  tx: Tx,
  where: { readonly projectId: AuthorizedProjectId; readonly name: string },
): Promise<string> {
  const row = await tx.environment.findUniqueOrThrow({ where: { projectId_name: where } })
  return row.id
}

export interface FirstRelease {
  readonly configId: string
  readonly versionId: string
  readonly releaseId: string
}

/** Writes config, version 1 and pointer. The release row follows once the bundle has its revision. */
export async function insertFirstConfig(
  tx: Tx,
  input: FirstConfig & { readonly environmentId: string },
): Promise<FirstRelease> {
  const { projectId, ns, key, digest, text, document, environmentId, authorId } = input
  const ids = { configId: freshId('cfg'), versionId: freshId('ver'), releaseId: freshId('rel') }
  const { configId, versionId, releaseId } = ids
  await tx.config.create({ data: { id: configId, projectId, ns, key } })
  await tx.configVersion.create({
    data: {
      id: versionId,
      projectId,
      configId,
      number: 1,
      digest,
      text,
      // Prisma's input type wants a mutable object; the value is only read.
      document: document as object,
      note: 'Comes with Signalbox',
      authorId,
    },
  })
  await tx.environmentPointer.create({
    data: { projectId, environmentId, configId, versionId, releaseId },
  })
  return ids
}

export async function insertFirstRelease(
  tx: Tx,
  input: FirstRelease & {
    readonly projectId: AuthorizedProjectId
    readonly environmentId: string
    readonly revision: number
    readonly authorId: string
  },
): Promise<void> {
  const { releaseId, projectId, environmentId, configId, versionId, revision, authorId } = input
  await tx.release.create({
    data: {
      id: releaseId,
      projectId,
      environmentId,
      configId,
      versionId,
      kind: 'publish',
      revision,
      note: 'Comes with Signalbox',
      authorId,
    },
  })
}
