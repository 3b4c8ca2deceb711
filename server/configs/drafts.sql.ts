// A config has one open draft, shared by its editors. A save must name the `revision` that it replaces.
import 'server-only'
import { findKeyName } from '@/server/platform/auth/keys.sql.ts'
import { type Actor, readActorId } from '@/server/platform/auth/scope.ts'
import { reader, type Tx } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { freshId } from '@/server/platform/ids.ts'

export interface DraftRow {
  readonly id: string
  readonly configId: string
  readonly text: string
  readonly revision: number
  /** Number of the version that it is based on; null: none, as in a new config. */
  readonly baseVersion: number | null
  readonly updatedAt: number
  readonly updatedBy: string
  /** Name of the user or key that saved last; null if deleted. */
  readonly updatedByName: string | null
}

/** Null: none is open. Give `tx` when the answer decides a write. */
export async function findOpenDraft(
  where: { readonly projectId: AuthorizedProjectId; readonly configId: string },
  tx: Tx = reader(),
): Promise<DraftRow | null> {
  const row = await tx.draft.findFirst({
    where: { ...where, discardedAt: null },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
  })
  if (row === null) return null
  return {
    id: row.id,
    configId: row.configId,
    text: row.text,
    revision: row.revision,
    baseVersion: row.baseVersion,
    updatedAt: row.updatedAt.getTime(),
    updatedBy: row.updatedBy,
    updatedByName: (await loadAuthorNames(tx, [row.updatedBy])).get(row.updatedBy) ?? null,
  }
}

/** Names of users and keys by id; deleted ones are missing. */
async function loadAuthorNames(
  tx: Tx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const where = { id: { in: [...ids] } }
  const people = await tx.user.findMany({ where, select: { id: true, name: true } })
  const keys = await tx.apiKey.findMany({ where, select: { id: true, name: true, prefix: true } })
  return new Map([
    ...people.map(({ id, name }) => [id, name] as const),
    ...keys.map((key) => [key.id, findKeyName(key)] as const),
  ])
}

export interface NewDraft {
  readonly projectId: AuthorizedProjectId
  readonly configId: string
  readonly text: string
  readonly baseVersion: number | null
  readonly authorId: string
}

/** Only for the holder of the config's lock, so that a config never gets two open drafts. */
export async function insertDraft(tx: Tx, draft: NewDraft): Promise<string> {
  const id = freshId('drf')
  await tx.draft.create({ data: { id, ...draft, updatedBy: draft.authorId } })
  return id
}

/** The text that a save over `revision` replaces, and its editor; null: the draft is not open at that revision. */
export async function findDraftText(
  tx: Tx,
  at: { readonly projectId: AuthorizedProjectId; readonly id: string; readonly revision: number },
): Promise<Pick<DraftRow, 'text' | 'updatedBy' | 'updatedAt'> | null> {
  const row = await tx.draft.findFirst({
    where: { ...at, discardedAt: null },
    select: { text: true, updatedBy: true, updatedAt: true },
  })
  return row === null ? null : { ...row, updatedAt: row.updatedAt.getTime() }
}

/** True when the draft was open at `revision` and now holds `text` at `revision + 1`; false changes nothing. */
export async function saveDraftText(
  tx: Tx,
  save: {
    readonly scope: Actor
    readonly id: string
    readonly revision: number
    readonly text: string
  },
): Promise<boolean> {
  const { scope, id, revision, text } = save
  const { count } = await tx.draft.updateMany({
    where: { id, projectId: scope.projectId, revision, discardedAt: null },
    data: { text, revision: revision + 1, updatedBy: readActorId(scope) },
  })
  return count === 1
}

export async function setDraftBase(
  tx: Tx,
  change: {
    readonly projectId: AuthorizedProjectId
    readonly id: string
    readonly revision: number
    readonly baseVersion: number
  },
): Promise<boolean> {
  const { projectId, id, revision, baseVersion } = change
  const { count } = await tx.draft.updateMany({
    where: { id, projectId, revision, discardedAt: null },
    data: { baseVersion },
  })
  return count === 1
}

/** Closes the draft, which keeps its text. True: this call closed it. */
export async function closeDraft(
  tx: Tx,
  draft: {
    readonly projectId: AuthorizedProjectId
    readonly id: string
    readonly revision: number
  },
): Promise<boolean> {
  const { count } = await tx.draft.updateMany({
    where: { ...draft, discardedAt: null },
    data: { discardedAt: new Date() },
  })
  return count === 1
}

/** Reopens a closed draft. Only for the holder of the config's lock, and only while no other draft is open. */
export async function reopenDraft(
  tx: Tx,
  draft: {
    readonly projectId: AuthorizedProjectId
    readonly configId: string
    readonly id: string
  },
): Promise<boolean> {
  const { count } = await tx.draft.updateMany({
    where: { ...draft, discardedAt: { not: null } },
    data: { discardedAt: null },
  })
  return count === 1
}

export interface TrashedDraft {
  readonly id: string
  readonly text: string
  readonly baseVersion: number | null
  readonly discardedAt: number
  readonly updatedByName: string | null
}

export async function listClosedDrafts(
  where: { readonly projectId: AuthorizedProjectId; readonly configId: string },
  since: number,
): Promise<readonly TrashedDraft[]> {
  const rows = await reader().draft.findMany({
    where: { ...where, discardedAt: { gte: new Date(since) } },
    orderBy: [{ discardedAt: 'desc' }, { id: 'desc' }],
    take: MOST_TRASHED,
  })
  const names = await loadAuthorNames(
    reader(),
    rows.map(({ updatedBy }) => updatedBy),
  )
  return rows.map(({ id, text, baseVersion, discardedAt, updatedBy }) => ({
    id,
    text,
    baseVersion,
    discardedAt: discardedAt?.getTime() ?? since,
    updatedByName: names.get(updatedBy) ?? null,
  }))
}

const MOST_TRASHED = 50

/** Deletes drafts that were closed before `before` (epoch ms). Only for the holder of the config's lock. */
export async function deleteClosedDrafts(
  tx: Tx,
  where: {
    readonly projectId: AuthorizedProjectId
    readonly configId: string
    readonly before: number
  },
): Promise<void> {
  const { projectId, configId, before } = where
  await tx.draft.deleteMany({
    where: { projectId, configId, discardedAt: { lt: new Date(before) } },
  })
}
