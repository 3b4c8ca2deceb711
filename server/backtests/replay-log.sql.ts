import 'server-only'
import type { SessionEvent } from '@signalbox/core'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { countedTerm } from '@/server/platform/sql/counted-term.ts'
import { readRows } from '@/server/platform/sql/rows.ts'

export interface ReplayUnit {
  readonly position: number
  readonly sessionId: string
  readonly caseId: string | null
  /** Digest of the version with which the session began; null: it named none. */
  readonly configDigest: string | null
  /** `YYYY-MM-DD`; null: the session is no longer stored. */
  readonly partitionDay: string | null
  readonly upTo: number
  readonly isDiverged: boolean
  readonly verdicts: number
  readonly kind: 'call' | 'stop' | null
  readonly callId: string | null
}

export async function waitingUnits(
  projectId: AuthorizedProjectId,
  backtestId: string,
  limit: number,
): Promise<readonly ReplayUnit[]> {
  return await readRows<ReplayUnit>(
    `SELECT u.position, u.session_id AS "sessionId", u.case_id AS "caseId", p.kind, p.call_id AS "callId",
       CASE WHEN u.case_id IS NULL THEN s.config_digest ELSE p.config_digest END AS "configDigest",
       s.partition_day::text AS "partitionDay", coalesce(p.seq, s.contiguous_seq, 0) AS "upTo",
       u.case_id IS NULL AND s.verification = 'diverged' AS "isDiverged",
       coalesce(s.calls + s.stop_attempts, 0) AS verdicts
     FROM backtest_units u
     LEFT JOIN sessions s ON s.id = u.session_id AND s.project_id = u.project_id
     LEFT JOIN pinned_cases p ON p.id = u.case_id AND p.project_id = u.project_id
     WHERE u.backtest_id = $2 AND u.project_id = $1 AND u.state = 'waiting' ORDER BY u.position LIMIT $3`,
    [projectId, backtestId, limit],
  )
}

/** Consecutive events of one log, as the text of JSON arrays in one row, because a row per event would cost more than its fold. */
export interface ReplayPiece {
  readonly session: string
  readonly count: number
  readonly last: number
  readonly text: string
}

/** In order of `seq`, without the fields that a fold does not read: the hash chain, and the config's digest. */
export function parsePiece({ session, text }: ReplayPiece): readonly SessionEvent[] {
  // The statement below wrote the text from events that the wire schema accepted, and rows never change.
  const rows = JSON.parse(`[${text}]`) as readonly [number, number, string, unknown][]
  return rows.map(([seq, at, type, data]) => ({ session, seq, at, type, data }) as SessionEvent)
}

/** Events of a piece. Even the largest events stay far below the gibibyte that PostgreSQL allows for a value. */
const PIECE = 500

/** Groups the rows of `page`, which are in the order of `seq`. */
const PIECES = `SELECT e.piece, count(*)::int AS count, max(e.seq) AS last, string_agg(e.text, ',' ORDER BY e.seq) AS text
  FROM (SELECT page.seq, (row_number() OVER (ORDER BY page.seq) - 1) / ${PIECE} AS piece,
      '[' || page.seq || ',' || round(date_part('epoch', page.at) * 1000)::bigint || ',' || to_json(page.type)::text
      || ',' || page.data::text || ']' AS text
    FROM page) AS e GROUP BY e.piece`

export interface ReplayPlace {
  readonly sessionId: string
  readonly partitionDay: string
  readonly upTo: number
}

/** The newest sessions of a prompt whose events are stored. Those that no figure counts are left out. */
export async function listNewestPlaces(
  projectId: AuthorizedProjectId,
  { ns, key }: { readonly ns: string; readonly key: string },
  most: number,
): Promise<readonly ReplayPlace[]> {
  return await readRows<ReplayPlace>(
    `SELECT id AS "sessionId", partition_day::text AS "partitionDay", contiguous_seq AS "upTo" FROM sessions
     WHERE project_id = $1 AND ns = $2 AND key = $3 AND ${countedTerm('id')} AND contiguous_seq > 0
     ORDER BY started_at DESC, id DESC LIMIT $4`,
    [projectId, ns, key, most],
  )
}

/** One page of each session: its first `limit` events after `after` of the given types. Sessions are in the given order. */
export async function readReplayPage(
  projectId: AuthorizedProjectId,
  places: readonly ReplayPlace[],
  page: { readonly types: readonly string[]; readonly after: number; readonly limit: number },
): Promise<readonly ReplayPiece[]> {
  return await readRows<ReplayPiece>(
    `SELECT u.session, p.count, p.last, p.text
     FROM unnest($2::text[], $3::date[], $4::int[]) WITH ORDINALITY AS u(session, day, up_to, n)
     CROSS JOIN LATERAL (
       WITH page AS (
         SELECT e.seq, e.at, e.type, e.data FROM session_events e WHERE e.partition_day = u.day AND e.session_id = u.session
           AND e.project_id = $1 AND e.seq > $5 AND e.seq <= u.up_to AND e.type = ANY($6) ORDER BY e.seq LIMIT $7)
       ${PIECES}) AS p
     ORDER BY u.n, p.piece`,
    [
      projectId,
      places.map(({ sessionId }) => sessionId),
      places.map(({ partitionDay }) => partitionDay),
      places.map(({ upTo }) => upTo),
      page.after,
      [...page.types],
      page.limit,
    ],
  )
}

export async function readPinnedPage(
  projectId: AuthorizedProjectId,
  sessionId: string,
  page: { readonly after: number; readonly upTo: number; readonly limit: number },
): Promise<readonly ReplayPiece[]> {
  return await readRows<ReplayPiece>(
    `WITH page AS (
       SELECT e.seq, e.at, e.type, e.data FROM pinned_events e
       WHERE e.session_id = $2 AND e.project_id = $1 AND e.seq > $3 AND e.seq <= $4 ORDER BY e.seq LIMIT $5)
     SELECT $2::text AS session, p.count, p.last, p.text FROM (${PIECES}) AS p ORDER BY p.piece`,
    [projectId, sessionId, page.after, page.upTo, page.limit],
  )
}
