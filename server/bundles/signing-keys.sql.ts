// This module does not open sealed data.
import 'server-only'
import type { SignedKeyRecord } from '@signalbox/wire'
import { lockByName, reader, type Tx } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { readRows } from '@/server/platform/sql/rows.ts'

export interface SigningKeyRow {
  /** RFC 7638 thumbprint. */
  readonly id: string
  readonly publicKey: string
  readonly standing: 'active' | 'next' | null
  /** Null: it is SIGNALBOX_SIGNING_KEY, or was erased. */
  readonly sealedSeed: string | null
  readonly fromEnvironment: boolean
  /** Null: the first key of a chain. */
  readonly record: SignedKeyRecord | null
  readonly createdAt: Date
  readonly activatedAt: Date | null
  readonly retiredAt: Date | null
  readonly revokedAt: Date | null
}

/** Serializes changes of a project's keys until the transaction ends. Take it before any other lock. */
export async function lockSigningKeys(tx: Tx, projectId: AuthorizedProjectId): Promise<void> {
  await lockByName(tx, `signing-keys:${projectId}`)
}

/** Complete records that do not lead to a revoked key, oldest first. One plain statement, because every write of heartbeats reads it. */
export async function listKeyRecords(
  projectId: AuthorizedProjectId,
): Promise<readonly SignedKeyRecord[]> {
  return await readRows<SignedKeyRecord>(
    `SELECT record_text AS text, record_by_previous AS by_previous, record_by_next AS by_next FROM signing_keys
     WHERE project_id = $1 AND revoked_at IS NULL
       AND record_text IS NOT NULL AND record_by_previous IS NOT NULL AND record_by_next IS NOT NULL
     ORDER BY created_at, id`,
    [projectId],
  )
}

export async function listSigningKeys(
  projectId: AuthorizedProjectId,
  tx: Tx = reader(),
): Promise<readonly SigningKeyRow[]> {
  const rows = await tx.signingKey.findMany({
    where: { projectId },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    omit: { projectId: true },
  })
  return rows.map(
    ({ standing, recordText, recordByPrevious, recordByNext, ...row }): SigningKeyRow => ({
      ...row,
      standing: standing === 'active' || standing === 'next' ? standing : null,
      record:
        recordText === null || recordByPrevious === null || recordByNext === null
          ? null
          : { text: recordText, by_previous: recordByPrevious, by_next: recordByNext },
    }),
  )
}

export async function insertSigningKey(
  tx: Tx,
  projectId: AuthorizedProjectId,
  key: Pick<SigningKeyRow, 'id' | 'publicKey' | 'sealedSeed' | 'record'> & {
    readonly standing: 'active' | 'next'
    readonly now: Date
  },
): Promise<void> {
  const { record, now, ...row } = key
  await tx.signingKey.createMany({
    data: {
      ...row,
      projectId,
      fromEnvironment: row.sealedSeed === null,
      createdAt: now,
      activatedAt: row.standing === 'active' ? now : null,
      recordText: record?.text ?? null,
      recordByPrevious: record?.by_previous ?? null,
      recordByNext: record?.by_next ?? null,
    },
    skipDuplicates: true,
  })
}

export async function activateSigningKey(
  tx: Tx,
  key: { readonly projectId: AuthorizedProjectId; readonly id: string; readonly now: Date },
): Promise<void> {
  const { projectId, id, now } = key
  await tx.signingKey.update({
    where: { projectId_id: { projectId, id } },
    data: { standing: 'active', activatedAt: now },
  })
}

export async function endSigningKey(
  tx: Tx,
  key: {
    readonly projectId: AuthorizedProjectId
    readonly id: string
    readonly as: 'retired' | 'revoked'
    readonly now: Date
  },
): Promise<void> {
  const { projectId, id, as, now } = key
  await tx.signingKey.update({
    where: { projectId_id: { projectId, id } },
    data: {
      standing: null,
      sealedSeed: null,
      ...(as === 'revoked' ? { revokedAt: now } : { retiredAt: now }),
    },
  })
}

/** Gives this key to projects of this cell without one, dated at their creation. `projectId` null: all of them. */
export async function adoptSigningKey(
  tx: Tx,
  key: { readonly id: string; readonly publicKey: string },
  projectId: AuthorizedProjectId | null,
): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO signing_keys (project_id, id, public_key, standing, from_environment, created_at, activated_at)
    SELECT p.id, ${key.id}, ${key.publicKey}, 'active', true, p.created_at, p.created_at
    FROM projects p
    WHERE p.cell IS NULL AND (${projectId}::text IS NULL OR p.id = ${projectId})
      AND NOT EXISTS (SELECT 1 FROM signing_keys k WHERE k.project_id = p.id)
    ON CONFLICT DO NOTHING`
}
