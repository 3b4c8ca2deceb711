// One tuple per event, computed when the event is stored, so that a list of 50,000 loads without payloads.
import 'server-only'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { epochMs, readTuples } from '@/server/platform/sql/rows.ts'
import { findLogPlace } from './session-log.sql.ts'

/** `at` in epoch ms, durations in ms. A tuple, because keys would double the size. */
export type IndexEntry = readonly [
  seq: number,
  at: number,
  type: string,
  verdict: string | null,
  subject: string | null,
  summary: string,
  durationMs: number | null,
  nativeTool: string | null,
]

export const MOST_INDEX_ENTRIES = 5_000

/** Entries with `seq > afterSeq`, ascending, at most `limit`. Empty for another project's session. */
export async function readEventIndex(
  projectId: AuthorizedProjectId,
  sessionId: string,
  page: { readonly afterSeq: number; readonly limit: number },
): Promise<readonly IndexEntry[]> {
  // The day is passed as a value, so that the planner reads one partition. Joined to the session, it would read the partitions of all days.
  const place = await findLogPlace(projectId, sessionId)
  if (place === null) return []
  return await readTuples<IndexEntry>(
    `SELECT seq, ${epochMs('at')}, type, verdict, subject, coalesce(summary, ''), duration_ms, native_tool
     FROM session_events WHERE partition_day = $1::date AND session_id = $2 AND seq > $3 ORDER BY seq LIMIT $4`,
    [place.partitionDay, sessionId, page.afterSeq, Math.min(page.limit, MOST_INDEX_ENTRIES)],
  )
}
