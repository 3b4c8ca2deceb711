import { registerReset } from '@/server/platform/base/process-memory.ts'
import { inTransaction, type Tx } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { enqueue } from '@/server/platform/queue/enqueue.ts'
import { hasApprovalRules, hasRules } from './alert-rules.sql.ts'

const SOON_MS = 5_000

const waiting = new Map<string, NodeJS.Timeout>()

registerReset(() => {
  for (const timer of waiting.values()) clearTimeout(timer)
  waiting.clear()
})

/** The evaluation starts after the commit of `tx`. All requests share one waiting job. */
export async function requestEvaluation(tx: Tx, projectId: AuthorizedProjectId): Promise<void> {
  const key = `alerts.evaluate ${projectId}`
  await enqueue(tx, { task: 'alerts.evaluate', payload: { projectId }, key })
}

/** Starts within five seconds; when this process ends before, the job of the next full minute does it. Costs the caller nothing. */
export function requestEvaluationSoon(projectId: AuthorizedProjectId): void {
  if (waiting.has(projectId)) return
  const timer = setTimeout(() => {
    waiting.delete(projectId)
    // The job of every minute evaluates again, so a failure here only delays the evaluation.
    void requestIfRules(projectId).catch(() => undefined)
  }, SOON_MS)
  waiting.set(projectId, timer.unref())
}

async function requestIfRules(projectId: AuthorizedProjectId): Promise<void> {
  if (await hasRules(projectId)) await inTransaction((tx) => requestEvaluation(tx, projectId))
}

/**
 * Evaluates the rules about calls that wait for approval after the commit of `tx`, once for all requests of one time.
 * `at`: epoch ms, or `now`.
 */
export async function requestApprovalEvaluation(
  tx: Tx,
  projectId: AuthorizedProjectId,
  at: number | 'now',
): Promise<void> {
  await enqueue(tx, {
    task: 'alerts.evaluate',
    payload: { projectId, only: 'approvals' },
    // A later time does not replace an earlier one: another process may have read before a call began to wait.
    key: `alerts.evaluate approvals ${projectId} ${at}`,
    ...(at === 'now' ? {} : { runAt: at }),
  })
}

/** Call after the commit. When it fails, or the process ends before, the job of the next full minute evaluates. Costs the caller nothing. */
export function requestApprovalEvaluationNow(projectId: AuthorizedProjectId): void {
  void requestIfApprovalRules(projectId).catch(() => undefined)
}

async function requestIfApprovalRules(projectId: AuthorizedProjectId): Promise<void> {
  if (!(await hasApprovalRules(projectId))) return
  await inTransaction((tx) => requestApprovalEvaluation(tx, projectId, 'now'))
}
