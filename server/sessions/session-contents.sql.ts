import 'server-only'
import { holdsEvery } from '@/server/platform/sql/folded-text.ts'
import { readRows } from '@/server/platform/sql/rows.ts'
import { readableJson } from '@/server/platform/sql/storable-text.ts'
import { type LogPlace, readLog } from './log/session-log.sql.ts'

const MOST_FOUND = 5_000
const MOST_FILES = 500

export interface FoundEvents {
  /** Ascending, at most `MOST_FOUND`. */
  readonly seqs: readonly number[]
  readonly isCut: boolean
}

/** Events whose payload contains every word, ignoring case. Expects at least one word. */
export async function searchPayloads(
  { partitionDay, sessionId }: LogPlace,
  words: readonly string[],
): Promise<FoundEvents> {
  const values: unknown[] = [partitionDay, sessionId]
  const bind = (value: unknown): string => `$${values.push(value)}`
  const inJson = words.map((word) => JSON.stringify(word).slice(1, -1))
  const rows = await readRows<{ seq: number }>(
    `SELECT seq FROM session_events WHERE partition_day = $1::date AND session_id = $2
       AND ${holdsEvery('data::text', inJson, bind)} ORDER BY seq LIMIT ${bind(MOST_FOUND + 1)}`,
    values,
  )
  const seqs = rows.slice(0, MOST_FOUND).map(({ seq }) => seq)
  return { seqs, isCut: rows.length > MOST_FOUND }
}

export interface WatchedFile {
  readonly path: string
  readonly looks: number
  readonly firstSeq: number
  readonly lastSeq: number
  readonly wasThere: boolean
  readonly isThere: boolean
  /** First event at which it existed; null: none. */
  readonly seenSeq: number | null
  /** Number of different contents; 0 when no fingerprint was taken. */
  readonly contents: number
}

/** By path; one more than `MOST_FILES` at most, so that the page can show that there are more. */
export async function loadWatchedFiles({
  partitionDay,
  sessionId,
}: LogPlace): Promise<readonly WatchedFile[]> {
  return await readRows<WatchedFile>(
    `SELECT path, count(*)::int AS looks, min(seq) AS "firstSeq", max(seq) AS "lastSeq",
       (array_agg(there ORDER BY seq))[1] AS "wasThere", (array_agg(there ORDER BY seq DESC))[1] AS "isThere",
       min(seq) FILTER (WHERE there) AS "seenSeq", count(DISTINCT print)::int AS contents
     FROM (SELECT e.seq, f.key AS path, coalesce((f.value->>'exists')::boolean, false) AS there,
             f.value->>'fingerprint' AS print
           FROM (SELECT seq, (${readableJson('data')})->'facts'->'files' AS files FROM session_events
               WHERE partition_day = $1::date AND session_id = $2) e
             CROSS JOIN LATERAL json_each(e.files) f
           WHERE json_typeof(e.files) = 'object') looked
     GROUP BY path ORDER BY path LIMIT $3`,
    [partitionDay, sessionId, MOST_FILES + 1],
  )
}

const PLANS = 50

export interface PlanUpdate {
  readonly seq: number
  readonly at: number
  readonly steps: readonly PlanStep[]
}

interface PlanStep {
  readonly title: string
  readonly status: string | null
}

export interface PlanUpdates {
  readonly updates: readonly PlanUpdate[]
  /** The plan before the oldest update, for comparison; null: there is none. */
  readonly before: PlanUpdate | null
}

function toContentStep(step: unknown): PlanStep {
  const { title, status } = Object(step)
  return { title: String(title ?? ''), status: typeof status === 'string' ? status : null }
}

async function readPlans(
  place: LogPlace,
  page: { readonly beforeSeq: number; readonly limit: number },
): Promise<readonly PlanUpdate[]> {
  const rows = await readLog(place, {
    from: 1,
    to: page.beforeSeq - 1,
    limit: page.limit,
    types: ['plan.updated'],
    order: 'newest',
  })
  return rows.map(({ seq, at, data }) => {
    const { steps } = Object(data)
    return { seq, at, steps: Array.isArray(steps) ? steps.map(toContentStep) : [] }
  })
}

export async function loadPlanUpdates(place: LogPlace, beforeSeq: number): Promise<PlanUpdates> {
  const updates = await readPlans(place, { beforeSeq, limit: PLANS + 1 })
  return { updates: updates.slice(0, PLANS), before: updates[PLANS] ?? null }
}

export async function loadLastPlan(place: LogPlace): Promise<PlanUpdate | null> {
  const [plan] = await readPlans(place, { beforeSeq: 2_147_483_647, limit: 1 })
  return plan ?? null
}
