// Arguments with which waiting calls were requested, as recorded. Whole events are read and searched here, because PostgreSQL's operators
// refuse a document with NUL or half a surrogate pair anywhere.
import 'server-only'
import type { JsonValue } from '@signalbox/core'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { readRows } from '@/server/platform/sql/rows.ts'
import { columnText } from '@/server/platform/sql/storable-text.ts'

interface Question {
  readonly id: string
  readonly sessionId: string
  readonly seq: number
  readonly callId: string
}

/** Number of requests before the approval's that are read. Its own is the newest, unless something other than a runtime wrote the log. */
const MOST_LOOKS = 16

/** By approval id. Absent: the request is not stored, or retention removed it. */
export async function requestedArgs(
  projectId: AuthorizedProjectId,
  questions: readonly Question[],
): Promise<ReadonlyMap<string, JsonValue>> {
  const found = new Map<string, JsonValue>()
  const open = new Map(questions.map((question) => [question.id, question]))
  for (let look = 0; look < MOST_LOOKS && open.size > 0; look++) {
    const requests = new Map(
      (await requestsBefore(projectId, [...open.values()])).map((row) => [row.id, row]),
    )
    for (const [id, question] of open) {
      const request = requests.get(id)
      if (request !== undefined && !isForCall(question, request.data.call_id)) {
        open.set(id, { ...question, seq: request.seq })
        continue
      }
      if (request !== undefined) found.set(id, request.data.args)
      open.delete(id)
    }
  }
  return found
}

interface Request {
  readonly id: string
  readonly seq: number
  /** Data of tool.requested, as the wire schema accepted it. */
  readonly data: { readonly call_id: string; readonly args: JsonValue }
}

async function requestsBefore(
  projectId: AuthorizedProjectId,
  questions: readonly Question[],
): Promise<readonly Request[]> {
  return await readRows<Request>(
    `SELECT q.id, e.seq, e.data FROM unnest($2::text[], $3::text[], $4::int[]) AS q(id, session_id, seq)
       JOIN sessions s ON s.id = q.session_id AND s.project_id = $1 AND s.events_removed_at IS NULL
       CROSS JOIN LATERAL (
         SELECT e.seq, e.data FROM session_events e WHERE e.partition_day = s.partition_day AND e.session_id = s.id
           AND e.seq < q.seq AND e.type = 'tool.requested'
         ORDER BY e.seq DESC LIMIT 1
       ) e`,
    [
      projectId,
      questions.map(({ id }) => id),
      questions.map(({ sessionId }) => sessionId),
      questions.map(({ seq }) => seq),
    ],
  )
}

function isForCall({ callId }: Question, requested: string): boolean {
  return columnText(requested) === callId
}
