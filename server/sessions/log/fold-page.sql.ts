// Stored events as a fold reads them, in pages of bounded size.
import 'server-only'
import { epochMs, readRows } from '@/server/platform/sql/rows.ts'
import type { LogPlace, LogRow } from './session-log.sql.ts'

const MOST_EVENTS = 1_000
/** A line is at most 256 KiB (specs/sessions.md); a page of large ones ends earlier than one of small ones. */
const MOST_BYTES = 4 * 1_024 * 1_024

type FoldRow = Pick<LogRow, 'seq' | 'at' | 'type' | 'data' | 'config' | 'trace' | 'prev'>

/** Events after `after` up to `to`, ascending; at least one where there is one. */
export async function readFoldPage(
  { partitionDay, sessionId }: LogPlace,
  { after, to }: { readonly after: number; readonly to: number },
): Promise<readonly FoldRow[]> {
  return await readRows<FoldRow>(
    `SELECT seq, at, type, data, config, NULL AS trace, NULL AS prev FROM (
       SELECT seq, ${epochMs('at')} AS at, type, data, config,
         sum(octet_length(data::text)) OVER (ORDER BY seq) - octet_length(data::text) AS before
       FROM (SELECT seq, at, type, data, config FROM session_events
         WHERE partition_day = $1::date AND session_id = $2 AND seq > $3 AND seq <= $4 ORDER BY seq LIMIT ${MOST_EVENTS}) e
     ) page WHERE before < ${MOST_BYTES} ORDER BY seq`,
    [partitionDay, sessionId, after, to],
  )
}
