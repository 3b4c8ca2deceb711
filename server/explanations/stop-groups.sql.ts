// Reads the selected stops twice (by session, and by version and time); each pass returns few rows for any number of stops.
import 'server-only'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { epochMs, readGrouped, readRows } from '@/server/platform/sql/rows.ts'
import { type StopFilter, type StopVerdictName, stopList } from './stop-list.sql.ts'
import { MOST_GROUPS } from './stops.list.ts'

interface GroupKey {
  readonly verdict: StopVerdictName
  readonly code: string
  /** Null: all configs together. */
  readonly ns: string | null
  readonly key: string | null
}

interface Counted extends GroupKey {
  readonly stops: number
  readonly sessions: number
  readonly firstAt: number
  readonly lastAt: number
  readonly allowedLater: number
  /** Sentence of the newest stop in the group. */
  readonly reason: string
  readonly newestId: string
}

export interface StopGroup extends Counted {
  readonly configs: number
  readonly spark: readonly number[]
  readonly versions: readonly VersionStops[]
}

export interface VersionStops {
  readonly ns: string
  readonly key: string
  readonly number: number
  /** All stop attempts under it, with any verdict. */
  readonly attempts: number
  readonly stops: number
}

export interface GroupQuery {
  readonly filter: StopFilter
  readonly by: 'reason' | 'config'
  readonly from: number
  readonly to: number
}

const SPARK_PARTS = 24

type By = GroupQuery['by']

const formatPlaceColumns = (by: By): string =>
  by === 'config' ? 'ns, key' : 'NULL::text AS ns, NULL::text AS key'
const formatGrouping = (by: By): string =>
  by === 'config' ? 'verdict, code, ns, key' : 'verdict, code'

/** True: the selected stops of a session are all that it had from the first of them on. */
const holdsWholeSessions = ({ verdict, code, version, until, terms }: StopFilter): boolean =>
  [verdict, code, version, until].every((part) => part === undefined) && (terms ?? []).length === 0

/** SQL for the last allowed stop of each session: among the selected stops, or among all if the filter may exclude it. */
function formatReleasedQuery(filter: StopFilter, bind: (value: unknown) => string): string {
  if (holdsWholeSessions(filter))
    return `SELECT session_id, max(last_seq) AS seq FROM of_session WHERE verdict = 'allowed' GROUP BY session_id`
  const { environment, prompt, since } = filter
  const terms = stopList.terms({ environment, prompt, since, verdict: 'allowed' }, bind)
  return `SELECT session_id, max(seq) AS seq FROM stops WHERE ${terms.join(' AND ')} GROUP BY session_id`
}

/** Refused ones first, allowed ones last, then the most frequent; at most `MOST_GROUPS`. */
async function countGroups(projectId: AuthorizedProjectId, { filter, by }: GroupQuery) {
  const { text, values, bind } = stopList.where(projectId, filter)
  const grouping = formatGrouping(by)
  const own = by === 'config' ? 'AND s.ns = g.ns AND s.key = g.key' : ''
  return await readGrouped<Counted>(
    `WITH of_session AS (
       SELECT ${grouping}, session_id, count(*) AS stops, min(seq) AS seq, max(seq) AS last_seq, min(at) AS first_at,
         max(at) AS last_at
       FROM stops WHERE ${text} GROUP BY ${grouping}, session_id),
     released AS (${formatReleasedQuery(filter, bind)}),
     groups AS (
       SELECT ${grouping}, sum(g.stops)::int AS stops, count(*)::int AS sessions, min(g.first_at) AS first_at,
         max(g.last_at) AS last_at, (count(*) FILTER (WHERE r.seq > g.seq))::int AS later
       FROM of_session g LEFT JOIN released r USING (session_id)
       GROUP BY ${grouping} ORDER BY verdict = 'allowed', sum(g.stops) DESC, ${grouping} LIMIT ${MOST_GROUPS})
     SELECT g.verdict, g.code, ${by === 'config' ? 'g.ns, g.key' : formatPlaceColumns(by)}, g.stops, g.sessions,
       ${epochMs('g.first_at')} AS "firstAt", ${epochMs('g.last_at')} AS "lastAt", g.later AS "allowedLater",
       newest.id AS "newestId", newest.reason
     FROM groups g CROSS JOIN LATERAL (SELECT s.id, s.reason FROM stops s WHERE ${text}
       AND s.verdict = g.verdict AND s.code = g.code AND s.at = g.last_at ${own} ORDER BY s.id DESC LIMIT 1) AS newest
     ORDER BY g.verdict = 'allowed', g.stops DESC, ${grouping.replaceAll(/\w+/g, 'g.$&')}`,
    values,
  )
}

interface Cell {
  readonly verdict: StopVerdictName
  readonly code: string
  readonly ns: string
  readonly key: string
  readonly digest: string | null
  readonly part: number
  readonly n: number
}

async function countCells(projectId: AuthorizedProjectId, { filter, from, to }: GroupQuery) {
  const all = { ...filter, verdict: undefined, code: undefined }
  const { text, values, bind } = stopList.where(projectId, all)
  const [begin, end] = [bind(from), bind(to)]
  return await readRows<Cell>(
    `SELECT verdict, code, ns, key, config_digest AS digest, count(*)::int AS n,
       least(${SPARK_PARTS}, greatest(1, width_bucket(date_part('epoch', at) * 1000, ${begin}::float8, ${end}::float8,
         ${SPARK_PARTS}))) AS part
     FROM stops WHERE ${text} GROUP BY verdict, code, ns, key, config_digest, part`,
    values,
  )
}

interface Numbered {
  readonly ns: string
  readonly key: string
  readonly digest: string
  readonly number: number
}

async function loadVersionNumbers(projectId: AuthorizedProjectId, digests: readonly string[]) {
  return await readRows<Numbered>(
    `SELECT c.ns, c.key, v.digest, max(v.number) AS number FROM config_versions v JOIN configs c ON c.id = v.config_id
     WHERE v.project_id = $1 AND v.digest = ANY($2::text[]) GROUP BY c.ns, c.key, v.digest
     ORDER BY c.ns, c.key, max(v.number)`,
    [projectId, digests],
  )
}

const formatPromptName = ({ ns, key }: { readonly ns: string; readonly key: string }): string =>
  `${ns}/${key}`

function computeSpark(cells: readonly Cell[]): readonly number[] {
  const spark = Array.from({ length: SPARK_PARTS }, () => 0)
  for (const { part, n } of cells) spark[part - 1] = (spark[part - 1] ?? 0) + n
  return spark
}

type Place = Pick<Cell, 'ns' | 'key' | 'digest'>

const placeKey = ({ ns, key, digest }: Place): string => JSON.stringify([ns, key, digest])

function byPlace(cells: readonly Cell[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>()
  for (const cell of cells) sums.set(placeKey(cell), (sums.get(placeKey(cell)) ?? 0) + cell.n)
  return sums
}

interface Versions {
  readonly numbers: readonly Numbered[]
  readonly attempts: ReadonlyMap<string, number>
}

function withVersions(cells: readonly Cell[], { numbers, attempts }: Versions) {
  const stops = byPlace(cells)
  const prompts = new Set(cells.map(formatPromptName))
  const versions = numbers.flatMap((version): readonly VersionStops[] => {
    const at = placeKey(version)
    const tried = attempts.get(at)
    if (tried === undefined || !prompts.has(formatPromptName(version))) return []
    const { ns, key, number } = version
    return [{ ns, key, number, attempts: tried, stops: stops.get(at) ?? 0 }]
  })
  return { configs: prompts.size, versions }
}

function isInGroup(group: GroupKey, { verdict, code, ns, key }: Cell): boolean {
  if (verdict !== group.verdict || code !== group.code) return false
  return group.ns === null || (ns === group.ns && key === group.key)
}

export async function groupStops(
  projectId: AuthorizedProjectId,
  query: GroupQuery,
): Promise<readonly StopGroup[]> {
  const [groups, cells] = await Promise.all([
    countGroups(projectId, query),
    countCells(projectId, query),
  ])
  const digests = [...new Set(cells.flatMap(({ digest }) => digest ?? []))]
  const versions = {
    numbers: await loadVersionNumbers(projectId, digests),
    attempts: byPlace(cells),
  }
  return groups.map((group) => {
    const own = cells.filter((cell) => isInGroup(group, cell))
    return { ...group, ...withVersions(own, versions), spark: computeSpark(own) }
  })
}
