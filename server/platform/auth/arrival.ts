import 'server-only'
import { registerCache } from '../base/process-memory.ts'
import { inBothTransactions, isDirectoryHere } from '../db/transaction.ts'
import type { AuthorizedProjectId } from '../ids.ts'
import { recordAudit } from './audit.sql.ts'
import { copyMember, type Grant, grantForLog } from './members.sql.ts'

export interface Arriving extends Grant {
  readonly projectId: AuthorizedProjectId
  readonly userId: string
  readonly userName: string
  readonly email: string
}

const MOST_KNOWN = 5_000
const known = registerCache(new Set<string>())

export async function arrive(user: Arriving): Promise<void> {
  if (isDirectoryHere()) return
  const { projectId, userId, userName: actor, email, role, publishIn } = user
  const text = JSON.stringify([projectId, userId, actor, email, role, publishIn])
  if (known.has(text)) return
  await inBothTransactions(async (both) => {
    if (!(await copyMember(both, { projectId, userId }))) return
    const after = { email, ...grantForLog({ role, publishIn }) }
    const action = 'member.joined'
    await recordAudit(both.cell, {
      projectId,
      actorId: userId,
      actor,
      action,
      target: userId,
      after,
    })
  })
  if (known.size >= MOST_KNOWN) known.clear()
  known.add(text)
}
