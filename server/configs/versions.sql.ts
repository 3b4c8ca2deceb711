// Versions of a config: immutable, numbered per config from 1, identified by their digest. No function here updates or deletes one.
import 'server-only'
import type { JsonValue } from '@signalbox/core'
import { type PointerPlace, wherePointer } from '@/server/environments/environments.sql.ts'
import type { RowInProject } from '@/server/platform/auth/scope.ts'
import { reader, type Tx } from '@/server/platform/db/transaction.ts'
import { type AuthorizedProjectId, freshId } from '@/server/platform/ids.ts'

export interface VersionRow {
  readonly id: string
  readonly number: number
  readonly digest: string
  readonly text: string
  readonly note: string | null
  readonly authorId: string
  readonly createdAt: number
  /** Id of the user or key that edited the text last before it became a version; null: not recorded. */
  readonly editedBy: string | null
  /** Text as written, which may have `extends`; `text` is the flat document. */
  readonly source: string
  /** Id of the version that it extends; null: none. */
  readonly baseVersionId: string | null
}

const COLUMNS = {
  id: true,
  number: true,
  digest: true,
  text: true,
  note: true,
  authorId: true,
  createdAt: true,
  editedBy: true,
  source: true,
  baseVersionId: true,
} as const

function toVersionRow(
  row: Omit<VersionRow, 'createdAt' | 'source'> & {
    readonly createdAt: Date
    readonly source: string | null
  },
): VersionRow {
  return { ...row, source: row.source ?? row.text, createdAt: row.createdAt.getTime() }
}

export async function findVersion(
  where: { readonly configId: string; readonly number: number },
  tx: Tx = reader(),
): Promise<VersionRow | null> {
  const row = await tx.configVersion.findUnique({
    where: { configId_number: where },
    select: COLUMNS,
  })
  return row === null ? null : toVersionRow(row)
}

export async function findVersionById(
  where: RowInProject,
  tx: Tx = reader(),
): Promise<VersionRow | null> {
  const row = await tx.configVersion.findFirst({ where, select: COLUMNS })
  return row === null ? null : toVersionRow(row)
}

/** The newest version, or the newest with this content: the digest, and the base. */
export async function findNewestVersion(
  where: {
    readonly configId: string
    readonly digest?: string
    readonly baseVersionId?: string | null
  },
  tx: Tx = reader(),
): Promise<VersionRow | null> {
  const row = await tx.configVersion.findFirst({
    where,
    orderBy: { number: 'desc' },
    select: COLUMNS,
  })
  return row === null ? null : toVersionRow(row)
}

/** Number that a release of this content gets: that of the newest version with it, or else the next one. */
export async function findVersionNumber(where: {
  readonly configId: string
  readonly digest: string
  readonly baseVersionId: string | null
}): Promise<number> {
  const { configId, digest, baseVersionId } = where
  const [row] = await reader().$queryRaw<{ readonly number: number }[]>`
    SELECT coalesce(max(number) FILTER (WHERE digest = ${digest}
        AND base_version_id IS NOT DISTINCT FROM ${baseVersionId}), max(number) + 1, 1)::int AS number
    FROM config_versions WHERE config_id = ${configId}`
  return row?.number ?? 1
}

export async function findLiveVersion(
  place: PointerPlace,
  tx: Tx = reader(),
): Promise<VersionRow | null> {
  const row = await tx.environmentPointer.findFirst({
    where: wherePointer(place),
    select: { version: { select: COLUMNS } },
  })
  return row === null ? null : toVersionRow(row.version)
}

export async function listDigests(
  tx: Tx,
  configIds: readonly string[],
): Promise<readonly { readonly configId: string; readonly digests: readonly string[] }[]> {
  return await tx.$queryRaw<{ configId: string; digests: string[] }[]>`
    SELECT config_id AS "configId", array_agg(digest ORDER BY number) AS digests FROM config_versions
    WHERE config_id = ANY(${[...configIds]}::text[]) GROUP BY config_id`
}

export async function listLiveVersions(
  tx: Tx,
  configIds: readonly string[],
): Promise<
  readonly {
    readonly configId: string
    readonly environmentId: string
    readonly number: number
    readonly digest: string
  }[]
> {
  return await tx.$queryRaw`
    SELECT p.config_id AS "configId", p.environment_id AS "environmentId", v.number, v.digest
    FROM environment_pointers p JOIN config_versions v ON v.id = p.version_id
    WHERE p.config_id = ANY(${[...configIds]}::text[])`
}

export interface NewVersion {
  readonly projectId: AuthorizedProjectId
  readonly configId: string
  readonly digest: string
  readonly text: string
  readonly document: JsonValue
  readonly note: string | null
  readonly authorId: string
  readonly editedBy: string
  /** Null: the text is as written. */
  readonly source: string | null
  readonly baseVersionId: string | null
}

/** Gives the version the number after the newest. Only for the holder of the config's lock. */
export async function insertVersion(tx: Tx, version: NewVersion): Promise<VersionRow> {
  const { configId } = version
  const newest = await tx.configVersion.aggregate({
    where: { configId },
    _max: { number: true },
  })
  const row = await tx.configVersion.create({
    data: {
      ...version,
      id: freshId('ver'),
      number: (newest._max.number ?? 0) + 1,
      // Prisma's input type wants a mutable object; the value is only read.
      document: version.document as object,
    },
    select: COLUMNS,
  })
  return toVersionRow(row)
}

/** Only for the holder of the configs' locks. Numbers must follow the newest of each config. */
export async function insertVersions(
  tx: Tx,
  versions: readonly (NewVersion & { readonly number: number })[],
): Promise<void> {
  await tx.configVersion.createMany({
    data: versions.map((version) => ({
      ...version,
      id: freshId('ver'),
      // Prisma's input type wants a mutable object; the value is only read.
      document: version.document as object,
    })),
  })
}
