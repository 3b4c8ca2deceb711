// A copy belongs to the project, and contains each event of a session once for any number of cases, up to the last of them.
import 'server-only'
import type { RowInProject } from '@/server/platform/auth/scope.ts'
import { Prisma } from '@/server/platform/db/generated/client.ts'
import type { Tx } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { freshId } from '@/server/platform/ids.ts'
import { readableJson } from '@/server/platform/sql/storable-text.ts'

export type CaseVerdict = 'allowed' | 'denied' | 'blocked'

export interface NewCase {
  readonly projectId: AuthorizedProjectId
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
  /** Absent: pinned here. */
  readonly importedFrom?: string
}

/** Null: the decision is already pinned for the config. */
export async function insertCase(tx: Tx, row: NewCase): Promise<string | null> {
  const id = freshId('case')
  const { count } = await tx.pinnedCase.createMany({ data: { id, ...row }, skipDuplicates: true })
  return count === 1 ? id : null
}

/** Adds cases of several configs, except those that are already pinned. */
export async function insertCases(tx: Tx, rows: readonly NewCase[]): Promise<void> {
  const data = rows.map((row) => ({ id: freshId('case'), ...row }))
  await tx.pinnedCase.createMany({ data, skipDuplicates: true })
}

export async function listPinned(
  tx: Tx,
  configIds: readonly string[],
): Promise<
  readonly { readonly configId: string; readonly sessionId: string; readonly seq: number }[]
> {
  return await tx.pinnedCase.findMany({
    where: { configId: { in: [...configIds] } },
    select: { configId: true, sessionId: true, seq: true },
  })
}

export interface PinnedLog {
  readonly projectId: AuthorizedProjectId
  readonly sessionId: string
  /** `YYYY-MM-DD`. */
  readonly partitionDay: string
  readonly upTo: number
  readonly types: readonly string[]
}

export async function copyLog(tx: Tx, log: PinnedLog): Promise<void> {
  const { projectId, sessionId, partitionDay, upTo, types } = log
  await tx.$executeRaw`
    INSERT INTO pinned_events (session_id, seq, project_id, at, type, data)
    SELECT session_id, seq, project_id, at, type, data FROM session_events
    WHERE partition_day = ${partitionDay}::date AND session_id = ${sessionId} AND project_id = ${projectId}
      AND seq <= ${upTo} AND type = ANY(${[...types]}::text[])
      AND seq > coalesce((SELECT max(seq) FROM pinned_events
        WHERE project_id = ${projectId} AND session_id = ${sessionId}), 0)
    ON CONFLICT DO NOTHING`
}

export interface CarriedLog {
  readonly projectId: AuthorizedProjectId
  readonly sessionId: string
  readonly upTo: number
  readonly types: readonly string[]
  /** JSON array of `{seq, at, type, data}`. */
  readonly events: string
}

/** A file never contains what `readableJson` replaces, so such an event differs. */
const own = (column: string) => Prisma.raw(readableJson(column))

/** Adds the events of an imported log to the copy. False: the events of this session that are stored here differ, and nothing is added. */
export async function addCarriedLog(tx: Tx, log: CarriedLog): Promise<boolean> {
  const { projectId, sessionId, upTo, types, events } = log
  // A local log is complete up to its last event, so an event that only one of the two has is also a difference.
  const [row] = await tx.$queryRaw<{ differs: boolean }[]>`
    WITH own AS (
      SELECT seq, at, type, (${own('data')})::jsonb AS data FROM pinned_events
      WHERE project_id = ${projectId} AND session_id = ${sessionId} AND seq <= ${upTo}
      UNION
      SELECT e.seq, e.at, e.type, (${own('e.data')})::jsonb FROM sessions s
      JOIN session_events e ON e.partition_day = s.partition_day AND e.session_id = s.id
      WHERE s.project_id = ${projectId} AND s.id = ${sessionId} AND e.seq <= ${upTo} AND e.type = ANY(${[...types]}::text[])),
    carried AS (
      SELECT seq, to_timestamp(at / 1000)::timestamptz(3) AS at, type, data
      FROM jsonb_to_recordset(${events}::jsonb) AS f(seq int, at float8, type text, data jsonb)
      WHERE seq <= greatest((SELECT max(seq) FROM own),
        (SELECT contiguous_seq FROM sessions WHERE project_id = ${projectId} AND id = ${sessionId})))
    SELECT EXISTS (SELECT 1 FROM own FULL JOIN carried USING (seq)
      WHERE (own.at, own.type, own.data) IS DISTINCT FROM (carried.at, carried.type, carried.data)) AS differs`
  if (row?.differs !== false) return false
  await tx.$executeRaw`
    INSERT INTO pinned_events (project_id, session_id, seq, at, type, data)
    SELECT ${projectId}, ${sessionId}, seq, to_timestamp(at / 1000), type, data
    FROM json_to_recordset(${events}::json) AS f(seq int, at float8, type text, data json)
    ON CONFLICT DO NOTHING`
  return true
}

export async function updateCase(
  tx: Tx,
  change: {
    readonly id: string
    readonly projectId: AuthorizedProjectId
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

/** Deletes the case, and the events of the copy after the session's last remaining case. */
export async function deleteCase(
  tx: Tx,
  row: RowInProject & { readonly sessionId: string },
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
