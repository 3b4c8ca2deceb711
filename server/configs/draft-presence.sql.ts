import 'server-only'
import { reader, type Tx } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'

export interface PresenceRow {
  readonly tab: string
  readonly userId: string
  readonly name: string
  readonly part: string | null
}

export interface PresenceKey {
  readonly projectId: AuthorizedProjectId
  readonly configId: string
  readonly tab: string
}

/** False: nothing changed, so no notification is needed. */
export async function writePresence(
  tx: Tx,
  { projectId, configId, tab }: PresenceKey,
  said: { readonly userId: string; readonly part: string | null; readonly seenAt: Date },
): Promise<boolean> {
  const where = { configId_tab: { configId, tab } }
  const before = await tx.draftPresence.findUnique({ where })
  // A tab's name is a random number from its browser; the row of another user with the same name stays unchanged.
  if (before !== null && before.userId !== said.userId) return false
  await tx.draftPresence.upsert({
    where,
    create: { projectId, configId, tab, ...said },
    update: said,
  })
  return before?.part !== said.part
}

export async function deletePresence(
  tx: Tx,
  key: PresenceKey & { readonly userId: string },
): Promise<boolean> {
  const { count } = await tx.draftPresence.deleteMany({ where: key })
  return count > 0
}

export async function deleteSilent(
  tx: Tx,
  { projectId, configId }: Omit<PresenceKey, 'tab'>,
  before: Date,
): Promise<void> {
  await tx.draftPresence.deleteMany({ where: { projectId, configId, seenAt: { lt: before } } })
}

export async function listPresence(
  where: Omit<PresenceKey, 'tab'> & { readonly since: Date },
): Promise<readonly PresenceRow[]> {
  const { projectId, configId, since } = where
  const rows = await reader().draftPresence.findMany({
    where: { projectId, configId, seenAt: { gte: since } },
    orderBy: [{ seenAt: 'desc' }],
    take: 100,
  })
  const people = await reader().user.findMany({
    where: { id: { in: rows.map(({ userId }) => userId) } },
    select: { id: true, name: true },
  })
  const names = new Map(people.map(({ id, name }) => [id, name]))
  return rows.flatMap(({ tab, userId, part }) => {
    const name = names.get(userId)
    return name === undefined ? [] : [{ tab, userId, name, part }]
  })
}
