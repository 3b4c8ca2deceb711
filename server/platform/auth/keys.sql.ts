// API keys as stored: a SHA-256 of the key, never the key. auth/api-key.ts decides what a key may do.
import 'server-only'
import { reader, type Tx } from '../db/transaction.ts'
import type { AuthorizedProjectId } from '../ids.ts'
import { freshId } from '../ids.ts'
import { authorName, readRows } from '../sql/rows.ts'
import { KEY_SCOPES, type KeyScopeName } from './key-scopes.kinds.ts'
import type { ProjectScope, RowInProject } from './scope.ts'

export interface StoredKey {
  readonly id: string
  readonly projectId: string
  readonly environment: string
  readonly name: string
  readonly prefix: string
  /** SHA-256 of the whole key, hexadecimal. */
  readonly hash: string
  readonly scopes: readonly string[]
  readonly expiresAt: number | null
  readonly revokedAt: number | null
}

export interface ListedKey {
  readonly id: string
  readonly name: string
  readonly environment: string
  readonly prefix: string
  readonly scopes: readonly string[]
  readonly createdBy: string
  /** Name of the user or key. Null: they left, or the installation created the key. */
  readonly createdByName: string | null
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly lastUsedAt: number | null
  readonly revokedAt: number | null
  /** Id of the key that rotation created; null: it was not rotated. */
  readonly replacedBy: string | null
}

export interface NewKey {
  readonly projectId: AuthorizedProjectId
  readonly environment: string
  readonly name: string
  readonly prefix: string
  readonly hash: string
  readonly scopes: readonly KeyScopeName[]
  /** Id of the user, or `system` for a key of the installation. */
  readonly createdBy: string
  readonly expiresAt: number | null
}

const MOST_KEYS = 500

/** Name of a key for the audit log and for authors. authorName in server/platform/sql/rows.ts is its SQL. */
export function findKeyName(key: Pick<StoredKey, 'name' | 'prefix'>): string {
  return `key ${key.name} (${key.prefix})`
}

const millis = (date: Date | null): number | null => (date === null ? null : date.getTime())

export async function findKeyByPrefix(prefix: string): Promise<StoredKey | null> {
  const row = await reader().apiKey.findUnique({ where: { prefix } })
  if (row === null) return null
  const { id, projectId, environment, name, hash, scopes } = row
  return {
    id,
    projectId,
    environment,
    name,
    prefix,
    hash,
    scopes,
    expiresAt: millis(row.expiresAt),
    revokedAt: millis(row.revokedAt),
  }
}

export async function listKeys(scope: ProjectScope): Promise<readonly ListedKey[]> {
  const rows = await reader().apiKey.findMany({
    where: { projectId: scope.projectId },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: MOST_KEYS,
    omit: { hash: true, projectId: true },
  })
  const users = await reader().user.findMany({
    where: { id: { in: [...new Set(rows.map(({ createdBy }) => createdBy))] } },
    select: { id: true, name: true },
  })
  const names = new Map([
    ...rows.map((key) => [key.id, findKeyName(key)] as const),
    ...users.map(({ id, name }) => [id, name] as const),
  ])
  return rows.map((row) => ({
    ...row,
    createdByName: names.get(row.createdBy) ?? null,
    createdAt: row.createdAt.getTime(),
    expiresAt: millis(row.expiresAt),
    lastUsedAt: millis(row.lastUsedAt),
    revokedAt: millis(row.revokedAt),
  }))
}

export async function prefixTaken(tx: Tx, prefix: string): Promise<boolean> {
  return (await tx.apiKey.findUnique({ where: { prefix }, select: { id: true } })) !== null
}

/** Returns the id. Rejects when the prefix exists; prefixes are random, so the caller generates another key and retries. */
export async function insertKey(tx: Tx, key: NewKey): Promise<string> {
  const id = freshId('key')
  await tx.apiKey.create({
    data: {
      ...key,
      id,
      scopes: [...key.scopes],
      expiresAt: key.expiresAt === null ? null : new Date(key.expiresAt),
    },
  })
  return id
}

/** Null: the key was deleted, with its project. */
export async function findKeyById(
  id: string,
): Promise<Pick<StoredKey, 'projectId' | 'environment' | 'revokedAt'> | null> {
  const row = await reader().apiKey.findUnique({
    where: { id },
    select: { projectId: true, environment: true, revokedAt: true },
  })
  return row === null ? null : { ...row, revokedAt: millis(row.revokedAt) }
}

export interface KeyOrigin {
  /** Id of the user or key that created it. */
  readonly makerId: string
  /** Null: they left, or the installation created the key. */
  readonly makerName: string | null
  /** A runtime registered with it, or with a key that it replaced. */
  readonly hasRuntime: boolean
}

/** Null: the project has no such key. */
export async function findKeyOrigin({ projectId, id }: RowInProject): Promise<KeyOrigin | null> {
  const [row] = await readRows<KeyOrigin>(
    `WITH RECURSIVE chain AS (
       SELECT k.id FROM api_keys k WHERE k.id = $2 AND k.project_id = $1
       UNION SELECT k.id FROM api_keys k JOIN chain c ON k.replaced_by = c.id WHERE k.project_id = $1)
     SELECT k.created_by AS "makerId", ${authorName('k.created_by')} AS "makerName",
       EXISTS (SELECT 1 FROM runtimes r WHERE r.project_id = $1 AND r.api_key_id IN (SELECT id FROM chain)) AS "hasRuntime"
     FROM api_keys k WHERE k.id = $2 AND k.project_id = $1`,
    [projectId, id],
  )
  return row ?? null
}

/** True: this call revoked the key. False: the project has no such key, or it was already revoked. */
export async function markRevoked(
  tx: Tx,
  key: { readonly projectId: AuthorizedProjectId; readonly id: string; readonly at: number },
): Promise<boolean> {
  const { count } = await tx.apiKey.updateMany({
    where: { id: key.id, projectId: key.projectId, revokedAt: null },
    data: { revokedAt: new Date(key.at) },
  })
  return count === 1
}

/** A key of the project, locked until the transaction ends, so that of two concurrent rotations the second finds it replaced. */
export async function lockKey(
  tx: Tx,
  where: RowInProject,
): Promise<{
  readonly name: string
  readonly environment: string
  readonly scopes: readonly KeyScopeName[]
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  readonly replacedBy: string | null
} | null> {
  await tx.$queryRaw`SELECT 1 FROM api_keys WHERE id = ${where.id} AND project_id = ${where.projectId} FOR UPDATE`
  const row = await tx.apiKey.findFirst({ where })
  if (row === null) return null
  const { name, environment, replacedBy } = row
  return {
    name,
    environment,
    replacedBy,
    scopes: KEY_SCOPES.filter((scope) => row.scopes.includes(scope)),
    expiresAt: millis(row.expiresAt),
    revokedAt: millis(row.revokedAt),
  }
}

/** Sets the expiry of the key and its successor. Only for the holder of its lock. */
export async function markReplaced(
  tx: Tx,
  key: {
    readonly projectId: AuthorizedProjectId
    readonly id: string
    readonly replacedBy: string
    readonly expiresAt: number
  },
): Promise<void> {
  const { projectId, id, replacedBy, expiresAt } = key
  await tx.apiKey.update({
    where: { id, projectId },
    data: { replacedBy, expiresAt: new Date(expiresAt) },
  })
}

/** Valid keys without a successor that expire before `before`, the first to expire first. */
export async function listExpiringKeys(
  scope: ProjectScope,
  before: number,
): Promise<readonly { readonly id: string; readonly name: string; readonly expiresAt: number }[]> {
  const rows = await reader().apiKey.findMany({
    where: {
      projectId: scope.projectId,
      revokedAt: null,
      replacedBy: null,
      expiresAt: { gt: new Date(), lt: new Date(before) },
    },
    orderBy: { expiresAt: 'asc' },
    take: 20,
    select: { id: true, name: true, expiresAt: true },
  })
  return rows.flatMap(({ id, name, expiresAt }) =>
    expiresAt === null ? [] : [{ id, name, expiresAt: expiresAt.getTime() }],
  )
}

export async function touchKey(where: RowInProject, at: number): Promise<void> {
  await reader().apiKey.updateMany({ where, data: { lastUsedAt: new Date(at) } })
}
