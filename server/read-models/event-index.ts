// The compact index of a session's events: one tuple an event, computed when it was stored, so that a list of 50,000 loads
// without payloads.
import 'server-only'
import { readRows } from './rows.ts'

/** seq, at (epoch ms), type, verdict, subject, summary, duration in ms, the harness's own name of the tool. A tuple, because keys would double the size. */
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

interface Row {
  readonly entry: IndexEntry
}

/** Entries with `seq > afterSeq`, ascending, at most `limit`. Empty for another project's session. */
export async function readEventIndex(
  projectId: string,
  sessionId: string,
  page: { readonly afterSeq: number; readonly limit: number },
): Promise<readonly IndexEntry[]> {
  const rows = await readRows<Row>(
    `SELECT json_build_array(e.seq, (extract(epoch FROM e.at) * 1000)::bigint, e.type, e.verdict, e.subject,
       coalesce(e.summary, ''), e.duration_ms, e.native_tool) AS entry
     FROM sessions s
     JOIN session_events e ON e.session_id = s.id AND e.partition_day = s.partition_day
     WHERE s.project_id = $1 AND s.id = $2 AND e.seq > $3
     ORDER BY e.seq LIMIT $4`,
    [projectId, sessionId, page.afterSeq, Math.min(page.limit, MOST_INDEX_ENTRIES)],
  )
  return rows.map(({ entry }) => entry)
}
