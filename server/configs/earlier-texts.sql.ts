import 'server-only'
import { reader, type Tx } from '@/server/platform/db/transaction.ts'
import { type AuthorizedProjectId, freshId } from '@/server/platform/ids.ts'
import { formatCursor, type Place } from '@/server/platform/sql/keyset.ts'
import { authorName, epochMs, readRows } from '@/server/platform/sql/rows.ts'

interface NewEarlierText {
  readonly projectId: AuthorizedProjectId
  readonly configId: string
  readonly draftId: string
  readonly revision: number
  readonly text: string
  readonly changes: number | null
  readonly savedBy: string
  readonly savedAt: number
}

/** Only for the transaction that has just replaced the text, because it holds the draft's row until it commits. */
export async function insertEarlierText(
  tx: Tx,
  { savedAt, ...text }: NewEarlierText,
): Promise<void> {
  const data = { ...text, id: freshId('txt'), savedAt: new Date(savedAt) }
  await tx.earlierText.create({ data })
}

/** Time at which the draft's newest earlier text was replaced, epoch ms; null: it has none. */
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

/** Deletes all but the config's newest `most`. */
export async function deleteSurplus(tx: Tx, configId: string, most: number): Promise<void> {
  await tx.$executeRaw`
    DELETE FROM earlier_texts WHERE id IN (
      SELECT id FROM earlier_texts WHERE config_id = ${configId}
      ORDER BY replaced_at DESC, id DESC OFFSET ${most})`
}

/** Deletes in every project. `at`: epoch ms. */
export async function deleteReplacedBefore(at: number): Promise<void> {
  await reader().earlierText.deleteMany({ where: { replacedAt: { lt: new Date(at) } } })
}

export interface EarlierText {
  readonly id: string
  readonly savedAt: number
  readonly savedByName: string | null
  /** Number of changes from the text kept before it; null: cannot be determined. */
  readonly changes: number | null
  readonly characters: number
}

export interface EarlierTexts {
  readonly texts: readonly EarlierText[]
  readonly nextCursor: string | null
}

export interface ConfigPlace {
  readonly projectId: AuthorizedProjectId
  readonly configId: string
  /** Epoch ms; texts that were replaced earlier are not shown. */
  readonly since: number
}

const COLUMNS = `t.id, ${epochMs('t.saved_at')} AS "savedAt", ${authorName('t.saved_by')} AS "savedByName", t.changes,
  length(t.text) AS characters`

export async function listEarlierTexts(
  { projectId, configId, since }: ConfigPlace,
  page: { readonly after: Place | null; readonly limit: number },
): Promise<EarlierTexts> {
  const { after, limit } = page
  const rows = await readRows<EarlierText & { readonly replacedAt: number }>(
    `SELECT ${COLUMNS}, ${epochMs('t.replaced_at')} AS "replacedAt"
     FROM earlier_texts t
     WHERE t.project_id = $1 AND t.config_id = $2 AND t.replaced_at >= to_timestamp($3::float8 / 1000)
       AND ($4::float8 IS NULL OR (t.replaced_at, t.id) < (to_timestamp($4::float8 / 1000), $5))
     ORDER BY t.replaced_at DESC, t.id DESC LIMIT $6`,
    [projectId, configId, since, after?.at ?? null, after?.id ?? null, limit + 1],
  )
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return {
    texts: shown.map(({ replacedAt: _replacedAt, ...text }) => text),
    nextCursor: last === undefined ? null : formatCursor({ at: last.replacedAt, id: last.id }),
  }
}

export async function findEarlierText(
  { projectId, configId, since }: ConfigPlace,
  id: string,
): Promise<(EarlierText & { readonly text: string }) | null> {
  const [row] = await readRows<EarlierText & { readonly text: string }>(
    `SELECT ${COLUMNS}, t.text
     FROM earlier_texts t
     WHERE t.project_id = $1 AND t.config_id = $2 AND t.replaced_at >= to_timestamp($3::float8 / 1000) AND t.id = $4`,
    [projectId, configId, since, id],
  )
  return row ?? null
}
