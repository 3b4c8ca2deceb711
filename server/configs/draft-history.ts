// A save keeps the text that it replaces, so that it can be restored for 30 days. While one user types, one text per minute is kept.
import { diffConfigs } from '@signalbox/core/analysis'
import { parseConfigSource } from '@signalbox/wire'
import type { ConfigReader } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import type { Tx } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { placeAfter } from '@/server/platform/sql/keyset.ts'
import type { PromptName } from './configs.sql.ts'
import { requireConfig } from './configs.ts'
import {
  deleteReplacedBefore,
  deleteSurplus,
  type EarlierText,
  type EarlierTexts,
  findEarlierText,
  insertEarlierText,
  listEarlierTexts,
  newestReplacedAt,
  newestText,
} from './earlier-texts.sql.ts'

const KEPT_MS = 30 * 86_400_000
const TYPING_MS = 60_000
/** A change of more characters was pasted, restored or deleted, not typed. */
const MOST_TYPED = 500
/** Most texts of one config; the oldest are deleted first. */
const MOST_KEPT = 1_000
const PAGE = 20

export interface Replaced {
  readonly projectId: AuthorizedProjectId
  readonly configId: string
  readonly draftId: string
  readonly revision: number
  readonly before: { readonly text: string; readonly updatedBy: string; readonly updatedAt: number }
  readonly after: { readonly text: string; readonly savedBy: string }
}

/** Call only in the transaction that has just replaced `before` by `after`. */
export async function keepReplacedText(tx: Tx, replaced: Replaced): Promise<void> {
  const { before, after, ...draft } = replaced
  if (before.text === after.text || (await isTypedOn(tx, replaced))) return
  const older = await newestText(tx, draft.draftId)
  await insertEarlierText(tx, {
    ...draft,
    text: before.text,
    changes: older === null ? null : countChanges(older, before.text),
    savedBy: before.updatedBy,
    savedAt: before.updatedAt,
  })
  await deleteSurplus(tx, draft.configId, MOST_KEPT)
}

/** True when the same user types on, less than a minute after a text was kept. */
async function isTypedOn(tx: Tx, { draftId, before, after }: Replaced): Promise<boolean> {
  if (
    before.updatedBy !== after.savedBy ||
    charactersReplaced(before.text, after.text) > MOST_TYPED
  )
    return false
  const keptAt = await newestReplacedAt(tx, draftId)
  return keptAt !== null && keptAt > Date.now() - TYPING_MS
}

function charactersReplaced(before: string, after: string): number {
  const most = Math.min(before.length, after.length)
  let start = 0
  while (start < most && before[start] === after[start]) start++
  let end = 0
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end++
  return Math.max(before.length, after.length) - start - end
}

/** Null when either text is not a config, so that the changes cannot be described. */
function countChanges(before: string, after: string): number | null {
  const [old, now] = [parseConfigSource(before), parseConfigSource(after)]
  return old.ok && now.ok ? diffConfigs(old.document, now.document).length : null
}

/** Covers 30 days, the last replaced first, 20 per page. Rejects with `invalid` for a cursor that no page returned. */
export async function loadDraftHistory(
  scope: ConfigReader,
  prompt: PromptName,
  cursor: string | null,
): Promise<EarlierTexts> {
  const after = placeAfter(cursor)
  return await listEarlierTexts(await placeIn(scope, prompt), { after, limit: PAGE })
}

/** Rejects with `not_found`, even for a text that is older than 30 days. */
export async function loadEarlierText(
  scope: ConfigReader,
  { id, ...prompt }: PromptName & { readonly id: string },
): Promise<EarlierText & { readonly text: string }> {
  const found = await findEarlierText(await placeIn(scope, prompt), id)
  if (found === null) {
    throw new ServiceError('not_found', 'There is no such text. Texts are kept for 30 days.')
  }
  return found
}

async function placeIn(scope: ConfigReader, prompt: PromptName) {
  const { id: configId } = await requireConfig(scope, prompt)
  return { projectId: scope.projectId, configId, since: Date.now() - KEPT_MS }
}

export async function forgetEarlierTexts(): Promise<void> {
  await deleteReplacedBefore(Date.now() - KEPT_MS)
}
