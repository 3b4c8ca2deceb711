// Shares of denied calls before and since a release, for the Overview and for alerts. Both versions share the hour of the release, and each
// has the counts under its own digest.
import 'server-only'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { epochMs, readRows } from '@/server/platform/sql/rows.ts'

interface Counted {
  readonly sessions: number
  readonly calls: number
  readonly denied: number
}

export interface ReleaseEffect {
  readonly releaseId: string
  readonly environment: string
  readonly ns: string
  readonly key: string
  readonly version: number
  readonly at: number
  /** Under the previous version, in the 24 hours before the release. */
  readonly before: Counted
  /** Under the released version, since the release. */
  readonly after: Counted
}

/** With fewer, a rise may be chance and is not reported: sessions and calls before and since, denied calls since. */
const FEWEST = { sessions: 5, calls: 50, denied: 10 } as const
/** Smaller differences of the shares are not reported. */
const LEAST_RISE = 0.02

const sum = (side: string, kind: string, more = ''): string =>
  `coalesce(sum(n.count) FILTER (WHERE n.side = '${side}' AND n.kind = '${kind}' ${more}), 0)::float8`

const sums = (
  side: string,
): string => `${sum(side, 'session')} AS ${side}_sessions, ${sum(side, 'call')} AS ${side}_calls,
  ${sum(side, 'call', "AND n.decision <> 'allowed'")} AS ${side}_denied`

/**
 * Query for the releases of `$1` with enough counts and a higher share than before. `released`: query for rows of `releases` with
 * `environment`, `ns`, `key`, `version`, `digest`, `old_digest`.
 */
export const formatRisesQuery = (released: string): string => `SELECT * FROM (
    SELECT r.id, r.environment, r.ns, r.key, r.version, r.created_at, ${sums('before')}, ${sums('after')}
    FROM (${released}) r JOIN LATERAL (
      SELECT s.kind, s.a AS decision, h.count, CASE WHEN s.config_digest = r.digest THEN 'after' ELSE 'before' END AS side
      FROM rollup_series s JOIN rollup_hours h ON h.series_id = s.id
      WHERE s.project_id = $1 AND s.kind IN ('call', 'session') AND s.ns = r.ns AND s.key = r.key
        AND s.environment = r.environment
        AND (s.config_digest = r.digest AND h.hour >= date_trunc('hour', r.created_at, 'UTC')
          OR s.config_digest = r.old_digest AND h.hour <= r.created_at AND h.hour >= r.created_at - interval '24 hours')
    ) n ON true
    WHERE r.digest <> r.old_digest
    GROUP BY r.id, r.environment, r.ns, r.key, r.version, r.created_at
  ) counted
  WHERE least(before_sessions, after_sessions) >= ${FEWEST.sessions} AND least(before_calls, after_calls) >= ${FEWEST.calls}
    AND after_denied >= ${FEWEST.denied} AND after_denied / after_calls - before_denied / before_calls >= ${LEAST_RISE}`

export const RELEASED_COLUMNS = `r.id, r.created_at, e.name AS environment, c.ns, c.key, v.number AS version, v.digest, old.digest AS old_digest`
export const RELEASED_TABLES = `releases r JOIN environments e ON e.id = r.environment_id JOIN configs c ON c.id = r.config_id
  JOIN config_versions v ON v.id = r.version_id JOIN config_versions old ON old.id = r.previous_version_id`

const counted = (side: string): string =>
  `json_build_object('sessions', ${side}_sessions, 'calls', ${side}_calls, 'denied', ${side}_denied)`

/** Of live releases not older than `since`, with their share of denied calls at least `factor` times that before. `environment` absent: all. */
export async function loadRises(
  { projectId }: ProjectScope,
  {
    environment,
    since,
    factor,
  }: {
    readonly environment?: string | undefined
    readonly since: number
    readonly factor: number
  },
): Promise<readonly ReleaseEffect[]> {
  const released = `SELECT DISTINCT ON (r.environment_id, r.config_id) ${RELEASED_COLUMNS} FROM ${RELEASED_TABLES}
    WHERE r.project_id = $1 AND r.created_at >= to_timestamp($2::float8 / 1000) AND ($3::text IS NULL OR e.name = $3)
    ORDER BY r.environment_id, r.config_id, r.revision DESC`
  return await readRows<ReleaseEffect>(
    `SELECT id AS "releaseId", environment, ns, key, version, ${epochMs('created_at')} AS at,
       ${counted('before')} AS before, ${counted('after')} AS after
     FROM (${formatRisesQuery(released)}) risen
     WHERE after_denied * before_calls >= $4 * before_denied * after_calls`,
    [projectId, since, environment ?? null, factor],
  )
}
