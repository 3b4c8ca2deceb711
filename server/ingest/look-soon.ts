// Has the rules of a project looked at before the minute is over: at once when a rule changed, some seconds after a refusal came in.

import { inTransaction, type Tx } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { remembered } from '@/server/platform/process-memory.ts'
import { enqueue } from '@/server/platform/queue/enqueue.ts'
import { hasRules } from './alert-rules.sql.ts'

/** Refusals that come within this time are looked at together, milliseconds. */
const SOON_MS = 5_000

/** Projects whose refusals wait to be looked at. */
const waiting = remembered(new Set<string>())

/** After the commit. Any number of requests share one waiting job. */
export async function lookNow(tx: Tx, projectId: AuthorizedProjectId): Promise<void> {
  const key = `alerts.evaluate ${projectId}`
  await enqueue(tx, { task: 'alerts.evaluate', payload: { projectId }, key })
}

/** Within five seconds, or at the next full minute where this process ends before. Costs the caller nothing. */
export function lookSoon(projectId: AuthorizedProjectId): void {
  if (waiting.has(projectId)) return
  waiting.add(projectId)
  setTimeout(() => {
    waiting.delete(projectId)
    // The job of every minute evaluates again, so a failure here is a delay, not a loss.
    void lookIfAsked(projectId).catch(() => undefined)
  }, SOON_MS).unref()
}

async function lookIfAsked(projectId: AuthorizedProjectId): Promise<void> {
  if (await hasRules(projectId)) await inTransaction((tx) => lookNow(tx, projectId))
}
