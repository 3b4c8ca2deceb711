// Rows are written once; a rollback is a release of its own.
import 'server-only'
import type { JsonObject } from '@signalbox/core'
import {
  type EnvironmentPlace,
  type PointerPlace,
  wherePointer,
} from '@/server/environments/environments.sql.ts'
import type { ConfigReader } from '@/server/platform/auth/scope.ts'
import { reader, type Tx } from '@/server/platform/db/transaction.ts'

export type ReleaseKind = 'publish' | 'promote' | 'rollback'

export interface ReleaseRow {
  readonly id: string
  readonly configId: string
  readonly environmentId: string
  readonly environment: string
  readonly kind: ReleaseKind
  readonly version: number
  readonly versionId: string
  readonly previousId: string | null
  readonly revision: number
  readonly note: string | null
  readonly authorId: string
  readonly createdAt: number
}

const WITH = { environment: { select: { name: true } }, version: { select: { number: true } } }

function toReleaseRow(row: {
  readonly id: string
  readonly configId: string
  readonly environmentId: string
  readonly kind: ReleaseKind
  readonly versionId: string
  readonly previousId: string | null
  readonly revision: number
  readonly note: string | null
  readonly authorId: string
  readonly createdAt: Date
  readonly environment: { readonly name: string }
  readonly version: { readonly number: number }
}): ReleaseRow {
  const { id, configId, environmentId, kind, versionId, previousId, revision, note, authorId } = row
  return {
    id,
    configId,
    environmentId,
    kind,
    versionId,
    previousId,
    revision,
    note,
    authorId,
    environment: row.environment.name,
    version: row.version.number,
    createdAt: row.createdAt.getTime(),
  }
}

export async function findRelease(scope: ConfigReader, id: string): Promise<ReleaseRow | null> {
  const row = await reader().release.findFirst({
    where: { id, projectId: scope.projectId },
    include: WITH,
  })
  return row === null ? null : toReleaseRow(row)
}

/** The release that made the current version live; null: none is live. */
export async function findCurrentRelease(
  place: PointerPlace,
  tx: Tx = reader(),
): Promise<ReleaseRow | null> {
  const pointer = await tx.environmentPointer.findFirst({
    where: wherePointer(place),
    select: { releaseId: true },
  })
  if (pointer === null) return null
  const row = await tx.release.findUnique({ where: { id: pointer.releaseId }, include: WITH })
  return row === null ? null : toReleaseRow(row)
}

/** True when the version was ever released to the environment. Only then is a release of it a rollback. */
export async function wasReleased(
  tx: Tx,
  where: EnvironmentPlace & { readonly versionId: string },
): Promise<boolean> {
  return (await tx.release.findFirst({ where, select: { id: true } })) !== null
}

/** Makes the version live. Only for the holder of the environment's lock. */
export async function setPointer(
  tx: Tx,
  pointer: PointerPlace & {
    readonly versionId: string
    readonly releaseId: string
    readonly tighten: boolean
  },
): Promise<void> {
  const { projectId, environmentId, configId, versionId, releaseId, tighten } = pointer
  const change = { versionId, releaseId, tighten }
  await tx.environmentPointer.upsert({
    where: { environmentId_configId: { environmentId, configId }, environment: { projectId } },
    create: { projectId, environmentId, configId, ...change },
    update: change,
  })
}

export interface NewRelease extends PointerPlace {
  readonly id: string
  readonly versionId: string
  readonly previousId: string | null
  readonly kind: ReleaseKind
  readonly revision: number
  readonly note: string | null
  readonly authorId: string
  readonly approvals: readonly JsonObject[]
  readonly approvalSkipped: boolean
  readonly acknowledged: readonly string[]
  readonly scheduleId: string | null
  /** Unique for the author; null: the request has no idempotency key. */
  readonly requestKey: string | null
  /** Digest of the whole request; null: it has no idempotency key. */
  readonly requestDigest: string | null
  readonly tighten: boolean
}

export interface RequestedRelease {
  readonly id: string
  readonly environmentId: string
  readonly configId: string
  readonly environment: string
  readonly version: number
  readonly previousVersion: number | null
  readonly revision: number
  /** Null: not recorded. */
  readonly requestDigest: string | null
}

/** The release that the author's request with this key made; null: none yet. */
export async function findRequestedRelease(
  tx: Tx,
  request: { readonly authorId: string; readonly requestKey: string },
): Promise<RequestedRelease | null> {
  const row = await tx.release.findUnique({
    where: { authorId_requestKey: request },
    include: WITH,
  })
  if (row === null) return null
  const { id, environmentId, configId, previousId, revision, environment, version } = row
  const { requestDigest } = row
  const previous =
    previousId === null
      ? null
      : await tx.configVersion.findUnique({ where: { id: previousId }, select: { number: true } })
  return {
    id,
    environmentId,
    configId,
    revision,
    requestDigest,
    environment: environment.name,
    version: version.number,
    previousVersion: previous?.number ?? null,
  }
}

export async function insertRelease(tx: Tx, release: NewRelease): Promise<void> {
  const { approvals, acknowledged, ...row } = release
  await tx.release.create({
    // Prisma's input type wants mutable values; they are only read.
    data: { ...row, approvals: approvals as object[], acknowledged: [...acknowledged] },
  })
}
