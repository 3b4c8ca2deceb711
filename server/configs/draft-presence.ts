// Presence of users in the editor of a config. Browsers report it every ten seconds; a report expires after 30 seconds.
import type { ConfigReader, ProjectScope } from '@/server/platform/auth/scope.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import { notify } from '@/server/platform/live/live-bus.ts'
import type { PromptName } from './configs.sql.ts'
import { requireConfig } from './configs.ts'
import {
  deletePresence,
  deleteSilent,
  listPresence,
  type PresenceRow,
  writePresence,
} from './draft-presence.sql.ts'

const SILENT_AFTER_MS = 30_000

export interface Presence extends PromptName {
  readonly tab: string
  /** Part that has the cursor; null: none in particular. */
  readonly part: string | null
  readonly leaving: boolean
}

/** Notifies others only when something changed. */
export async function reportPresence(scope: ProjectScope, presence: Presence): Promise<void> {
  const { id: configId } = await requireConfig(scope, presence)
  const { projectId, userId } = scope
  const { tab, part, leaving } = presence
  const key = { projectId, configId, tab }
  const now = Date.now()
  await inTransaction(async (tx) => {
    await deleteSilent(tx, { projectId, configId }, new Date(now - SILENT_AFTER_MS))
    const isNews = leaving
      ? await deletePresence(tx, { ...key, userId })
      : await writePresence(tx, key, { userId, part, seenAt: new Date(now) })
    if (isNews) await notify(tx, { project: projectId, kind: 'presence', id: configId })
  })
}

export async function presentIn(
  scope: ConfigReader,
  prompt: PromptName,
): Promise<readonly PresenceRow[]> {
  const { id: configId } = await requireConfig(scope, prompt)
  const since = new Date(Date.now() - SILENT_AFTER_MS)
  return await listPresence({ projectId: scope.projectId, configId, since })
}
