// Texts of drafts that later saves replaced. Rows are only added and, in time, removed.
import 'server-only'
import type { AuthorizedProjectId } from '@/server/platform/auth/scope.ts'
import { reader, type Tx } from '@/server/platform/db/transaction.ts'
import { freshId } from '@/server/platform/ids.ts'

export interface NewEarlierText {
  readonly projectId: AuthorizedProjectId
  readonly configId: string
  readonly draftId: string
  /** Revision of the draft while this was its text. */
  readonly revision: number
  readonly text: string
  readonly changes: number | null
  readonly savedBy: string
  /** Epoch ms. */
  readonly savedAt: number
}

/** Only for the transaction that has just replaced the text: it holds the draft's row until it commits. */
export async function insertEarlierText(
  tx: Tx,
  { savedAt, ...text }: NewEarlierText,
): Promise<void> {
  const data = { ...text, id: freshId('txt'), savedAt: new Date(savedAt) }
  await tx.earlierText.create({ data })
}

/** Time at which the draft's newest earlier text was replaced, epoch ms; null without one. */
export async function newestReplacedAt(tx: Tx, draftId: string): Promise<number | null> {
  const newest = await tx.earlierText.findFirst({
    where: { draftId },
    orderBy: { revision: 'desc' },
    select: { replacedAt: true },
  })
  return newest?.replacedAt.getTime() ?? null
}

export async function newestText(tx: Tx, draftId: string): Promise<string | null> {
  const newest = await tx.earlierText.findFirst({
    where: { draftId },
    orderBy: { revision: 'desc' },
    select: { text: true },
  })
  return newest?.text ?? null
}

/** Leaves the config the newest `most`. */
export async function deleteSurplus(tx: Tx, configId: string, most: number): Promise<void> {
  await tx.$executeRaw`
    DELETE FROM earlier_texts WHERE id IN (
      SELECT id FROM earlier_texts WHERE config_id = ${configId}
      ORDER BY replaced_at DESC, id DESC OFFSET ${most})`
}

/** Deletes in every project. */
export async function deleteReplacedBefore(at: number): Promise<void> {
  await reader().earlierText.deleteMany({ where: { replacedAt: { lt: new Date(at) } } })
}
