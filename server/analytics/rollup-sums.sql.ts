// Reads a few hundred series by index and their hours by key, never events.
import 'server-only'
import type { SeriesKind } from '@/server/ingest/rollups/series.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { epochMs, readStandbyRows } from '@/server/platform/sql/rows.ts'

export interface RollupFilter {
  /** Absent: all environments. */
  readonly environment?: string | undefined
  readonly prompt?: { readonly ns: string; readonly key: string } | undefined
  /** Digests of versions. Absent: all. */
  readonly digests?: readonly string[] | undefined
  /** Epoch ms, whole hours; `until` is not included. */
  readonly from: number
  readonly until: number
}

/** `version`: prompt and digest, as `ns/key@sha256:…`. */
export type SumName = 'a' | 'b' | 'c' | 'digest' | 'prompt' | 'version'

const NAMES = {
  a: 's.a',
  b: 's.b',
  c: 's.c',
  digest: 's.config_digest',
  prompt: "s.ns || '/' || s.key",
  version: "s.ns || '/' || s.key || '@' || s.config_digest",
} as const satisfies Record<SumName, string>

export type StopKind = 'attempts' | 'final'

export interface SumsWanted {
  readonly kind: SeriesKind
  readonly by: readonly SumName[]
  /** Only for the kind `stop`. Absent: both. */
  readonly stops?: StopKind
  /** Width of a bucket in hours; null: one sum over the whole range. Weeks start on Monday; all times are UTC. */
  readonly stepHours: number | null
  /** Values of the first name that get sums of their own; all others are summed under null. Absent: every value. */
  readonly apart?: readonly string[]
}

export interface RollupSum {
  /** In the order of `by`; null: the sum of all others. */
  readonly names: readonly (string | null)[]
  /** Start of the bucket, epoch ms; null: the range is one sum. */
  readonly at: number | null
  readonly count: number
}

const MOST_ROWS = 10_000

export async function sumRollups(
  projectId: AuthorizedProjectId,
  filter: RollupFilter,
  { kind, by, stops, stepHours, apart }: SumsWanted,
): Promise<readonly RollupSum[]> {
  const values: unknown[] = [projectId, kind, filter.from, filter.until]
  const bind = (value: unknown): string => `$${values.push(value)}`
  const terms: string[] = []
  if (filter.environment !== undefined)
    terms.push(`AND s.environment = ${bind(filter.environment)}`)
  if (filter.prompt !== undefined) {
    terms.push(`AND s.ns = ${bind(filter.prompt.ns)} AND s.key = ${bind(filter.prompt.key)}`)
  }
  if (filter.digests !== undefined) {
    terms.push(`AND s.config_digest = ANY(${bind(filter.digests)}::text[])`)
  }
  if (stops !== undefined) terms.push(`AND s.c ${stops === 'final' ? '=' : '<>'} 'final'`)
  const named = by.map((name) => NAMES[name])
  const [first, ...others] = named
  const firstName =
    apart === undefined || first === undefined
      ? first
      : `CASE WHEN ${first} = ANY(${bind(apart)}::text[]) THEN ${first} END`
  const names = firstName === undefined ? [] : [firstName, ...others]
  const at =
    stepHours === null
      ? 'NULL::float8'
      : epochMs(
          `date_bin(make_interval(hours => ${bind(stepHours)}::int), h.hour, '2001-01-01T00:00Z')`,
        )
  const groups = ['at', ...names.map((_, index) => `n${index}`)]
  const rows = await readStandbyRows<{
    at: number | null
    names: (string | null)[]
    count: number
  }>(
    `SELECT at, ARRAY[${names.map((_, index) => `n${index}`).join(', ')}]::text[] AS names, sum(count)::float8 AS count FROM (
       SELECT ${at} AS at, ${names.map((name, index) => `${name} AS n${index}, `).join('')} h.count
       FROM rollup_series s JOIN rollup_hours h ON h.series_id = s.id
       WHERE s.project_id = $1 AND s.kind = $2 ${terms.join(' ')}
         AND h.hour >= to_timestamp($3::float8 / 1000) AND h.hour < to_timestamp($4::float8 / 1000)
     ) counted GROUP BY ${groups.join(', ')} ORDER BY 3 DESC, 2 LIMIT ${MOST_ROWS}`,
    values,
  )
  return rows
}

/** Prompts with counts, by name; at most 200. */
export async function loadCountedPrompts(
  projectId: AuthorizedProjectId,
): Promise<readonly { readonly ns: string; readonly key: string }[]> {
  return await readStandbyRows(
    `SELECT DISTINCT ns, key FROM rollup_series WHERE project_id = $1 AND kind = 'session' ORDER BY ns, key LIMIT 200`,
    [projectId],
  )
}
