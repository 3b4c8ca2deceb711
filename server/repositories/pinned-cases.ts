// Pinned cases and the copies of logs that they rest on. A copy holds each event once a session, however many cases it has, and
// goes with the last of them.
import 'server-only'
import { freshId } from '../ids.ts'
import type { Tx } from './transaction.ts'

export type CaseVerdict = 'allowed' | 'denied' | 'blocked'

export interface NewCase {
  readonly projectId: string
  readonly configId: string
  readonly kind: 'call' | 'stop'
  readonly sessionId: string
  readonly seq: number
  readonly callId: string | null
  readonly name: string
  readonly recorded: CaseVerdict
  readonly expected: CaseVerdict
  readonly note: string | null
  readonly environment: string
  readonly configDigest: string | null
  readonly createdBy: string
}

/** Null when this decision is pinned for the config already. */
export async function insertCase(tx: Tx, row: NewCase): Promise<string | null> {
  const id = freshId('case')
  const { count } = await tx.pinnedCase.createMany({ data: { id, ...row }, skipDuplicates: true })
  return count === 1 ? id : null
}

export interface PinnedLog {
  readonly projectId: string
  readonly sessionId: string
  /** `YYYY-MM-DD`. */
  readonly partitionDay: string
  readonly upTo: number
  readonly types: readonly string[]
}

/** Copies what is not copied yet, in one statement. */
export async function copyLog(tx: Tx, log: PinnedLog): Promise<void> {
  const { projectId, sessionId, partitionDay, upTo, types } = log
  await tx.$executeRaw`
    INSERT INTO pinned_events (session_id, seq, project_id, at, type, data)
    SELECT session_id, seq, project_id, at, type, data FROM session_events
    WHERE partition_day = ${partitionDay}::date AND session_id = ${sessionId} AND project_id = ${projectId}
      AND seq <= ${upTo} AND type = ANY(${[...types]}::text[])
      AND seq > coalesce((SELECT max(seq) FROM pinned_events WHERE session_id = ${sessionId}), 0)
    ON CONFLICT DO NOTHING`
}

/** False when the project has no such case. */
export async function updateCase(
  tx: Tx,
  change: {
    readonly id: string
    readonly projectId: string
    readonly expected: CaseVerdict
    readonly note: string | null
  },
): Promise<boolean> {
  const { id, projectId, expected, note } = change
  const { count } = await tx.pinnedCase.updateMany({
    where: { id, projectId },
    data: { expected, note },
  })
  return count === 1
}

/** Deletes the copy, too, when no other case of the session is left. */
export async function deleteCase(
  tx: Tx,
  row: { readonly id: string; readonly projectId: string; readonly sessionId: string },
): Promise<void> {
  const { id, projectId, sessionId } = row
  await tx.pinnedCase.deleteMany({ where: { id, projectId } })
  const left = await tx.pinnedCase.aggregate({
    where: { projectId, sessionId },
    _max: { seq: true },
  })
  await tx.pinnedEvent.deleteMany({
    where: { projectId, sessionId, seq: { gt: left._max.seq ?? 0 } },
  })
}
