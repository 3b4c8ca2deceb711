// Bundles as stored: exact signed text, one row per environment and revision, never changed.
import 'server-only'
import type { JsonValue } from '@signalbox/core'
import { reader, type Tx } from './transaction.ts'

export interface ReleasedConfig {
  readonly ns: string
  readonly key: string
  readonly version: number
  readonly digest: string
  readonly document: JsonValue
}

export interface StoredBundle {
  readonly revision: number
  readonly digest: string
  readonly body: string
  readonly signature: string
}

/** What the environment's pointers name now, in order of prompt. */
export async function readReleasedConfigs(
  tx: Tx,
  environmentId: string,
): Promise<readonly ReleasedConfig[]> {
  const rows = await tx.environmentPointer.findMany({
    where: { environmentId },
    include: { config: true, version: true },
    orderBy: [{ config: { ns: 'asc' } }, { config: { key: 'asc' } }],
  })
  return rows.map(({ config, version }) => ({
    ns: config.ns,
    key: config.key,
    version: version.number,
    digest: version.digest,
    // Prisma's JSON type and ours differ in name only: what came out of a json column is JSON.
    document: version.document as JsonValue,
  }))
}

export async function insertBundle(
  tx: Tx,
  bundle: StoredBundle & { readonly environmentId: string },
): Promise<void> {
  await tx.bundle.create({ data: bundle })
}

export async function findBundle(where: {
  readonly environmentId: string
  readonly revision: number
}): Promise<StoredBundle | null> {
  return await reader().bundle.findUnique({
    where: { environmentId_revision: where },
    select: { revision: true, digest: true, body: true, signature: true },
  })
}
