// Bundles as stored: exact signed text, one row per environment and revision, never changed.
import 'server-only'
import type { JsonValue } from '@signalbox/core'
import type { EnvironmentPlace } from '@/server/environments/environments.sql.ts'
import { reader, type Tx } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { readRows } from '@/server/platform/sql/rows.ts'

interface ServedEnvironment {
  readonly id: string
  readonly projectSlug: string
  /** 0 before the first release. */
  readonly revision: number
}

/** One plain statement, because every poll of every runtime reads it. Null: no such environment. */
export async function findServedEnvironment(
  projectId: AuthorizedProjectId,
  name: string,
): Promise<ServedEnvironment | null> {
  const [row] = await readRows<ServedEnvironment>(
    `SELECT e.id, p.slug AS "projectSlug", e.revision FROM environments e JOIN projects p ON p.id = e.project_id
     WHERE e.project_id = $1 AND e.name = $2`,
    [projectId, name],
  )
  return row ?? null
}

interface ReleasedVersion {
  readonly version: number
  readonly digest: string
  readonly document: JsonValue
}

export interface ReleasedConfig extends ReleasedVersion {
  readonly ns: string
  readonly key: string
  /** Version for a share of new sessions; null: none. */
  readonly candidate: (ReleasedVersion & { readonly share: number; readonly salt: string }) | null
  /** Version that is evaluated in shadow; null: none. */
  readonly shadow: ReleasedVersion | null
  readonly tighten: boolean
}

export interface SignedBody {
  readonly digest: string
  readonly body: string
  readonly signature: string
}

export interface StoredBundle extends SignedBody {
  readonly revision: number
  readonly parts: readonly string[]
  /** The same revision without those parts; null: the body has none. */
  readonly plain: SignedBody | null
}

export async function readReleasedConfigs(
  tx: Tx,
  { projectId, environmentId }: EnvironmentPlace,
): Promise<readonly ReleasedConfig[]> {
  const rows = await tx.environmentPointer.findMany({
    where: { environmentId, environment: { projectId } },
    include: { config: true, version: true },
    orderBy: [{ config: { ns: 'asc' } }, { config: { key: 'asc' } }],
  })
  const rollouts = await tx.rollout.findMany({
    where: { id: { in: dropNulls(rows.map(({ rolloutId }) => rolloutId)) }, kind: 'staged' },
    select: { id: true, versionId: true, share: true },
  })
  const beside = await tx.configVersion.findMany({
    where: {
      id: {
        in: [
          ...rollouts.map(({ versionId }) => versionId),
          ...dropNulls(rows.map(({ shadowVersionId }) => shadowVersionId)),
        ],
      },
    },
  })
  const versions = new Map(beside.map((version) => [version.id, toReleasedVersion(version)]))
  const staged = new Map(rollouts.map((rollout) => [rollout.id, rollout]))
  return rows.map(({ config, version, rolloutId, shadowVersionId, tighten }) => {
    const rollout = staged.get(rolloutId ?? '')
    const candidate = versions.get(rollout?.versionId ?? '')
    return {
      ns: config.ns,
      key: config.key,
      ...toReleasedVersion(version),
      candidate:
        rollout === undefined || candidate === undefined
          ? null
          : { ...candidate, share: rollout.share, salt: rollout.id },
      shadow: versions.get(shadowVersionId ?? '') ?? null,
      tighten,
    }
  })
}

function dropNulls(ids: readonly (string | null)[]): string[] {
  return ids.filter((id) => id !== null)
}

function toReleasedVersion(version: {
  readonly number: number
  readonly digest: string
  readonly document: unknown
}): ReleasedVersion {
  const { number, digest } = version
  // Prisma's JSON type and ours differ in name only: a json column always contains JSON.
  return { version: number, digest, document: version.document as JsonValue }
}

export async function insertBundle(
  tx: Tx,
  { projectId, environmentId }: EnvironmentPlace,
  { plain, parts, ...row }: StoredBundle,
): Promise<void> {
  await tx.bundle.create({
    data: {
      ...row,
      projectId,
      environment: { connect: { id: environmentId, projectId } },
      parts: [...parts],
      plainDigest: plain?.digest ?? null,
      plainBody: plain?.body ?? null,
      plainSignature: plain?.signature ?? null,
    },
  })
}

export async function findBundle(
  { projectId, environmentId }: EnvironmentPlace,
  revision: number,
): Promise<StoredBundle | null> {
  const row = await reader().bundle.findFirst({
    where: { environmentId, revision, environment: { projectId } },
  })
  if (row === null) return null
  const { digest, body, signature, parts } = row
  const { plainDigest, plainBody, plainSignature } = row
  const plain =
    plainDigest === null || plainBody === null || plainSignature === null
      ? null
      : { digest: plainDigest, body: plainBody, signature: plainSignature }
  return { revision, digest, body, signature, parts, plain }
}
