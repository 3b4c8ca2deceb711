import 'server-only'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { countedTerm } from '@/server/platform/sql/counted-term.ts'
import { authorName, epochMs, readRows } from '@/server/platform/sql/rows.ts'
import { readableJson } from '@/server/platform/sql/storable-text.ts'
import { GUARD_PARTS, type GuardPart } from './guard-history.ts'

export interface CohortCounts {
  readonly sessions: number
  readonly calls: number
  readonly denied: number
  readonly blocked: number
  readonly overridden: number
  readonly diverged: number
  readonly stops: number
  readonly bypassed: number
  /** Calls that could not be evaluated. */
  readonly errors: number
  /** Ended sessions with a plan, and those that finished it. */
  readonly planned: number
  readonly planDone: number
  /** Median of the ended sessions, ms; null: none has ended. */
  readonly medianMs: number | null
}

export interface ListedRollout {
  readonly id: string
  readonly environment: string
  readonly version: number
  readonly baseVersion: number
  readonly liveVersion: number | null
  readonly requiresNote: boolean
  readonly requiresTypedName: boolean
  readonly digest: string
  readonly baseDigest: string
  readonly author: string | null
}

interface FoundCounts extends CohortCounts {
  readonly id: string
  readonly digest: string
}

const SHOWN = 20

export async function rolloutNames(
  projectId: AuthorizedProjectId,
  configId: string,
): Promise<readonly ListedRollout[]> {
  return await readRows<ListedRollout>(
    `SELECT r.id, e.name AS environment, v.number AS version, b.number AS "baseVersion", l.number AS "liveVersion",
       e.requires_note AS "requiresNote", e.requires_typed_name AS "requiresTypedName",
       v.digest, b.digest AS "baseDigest", ${authorName('r.author_id')} AS author
     FROM rollouts r JOIN environments e ON e.id = r.environment_id
       JOIN config_versions v ON v.id = r.version_id JOIN config_versions b ON b.id = r.base_version_id
       LEFT JOIN environment_pointers p ON p.environment_id = r.environment_id AND p.config_id = r.config_id
       LEFT JOIN config_versions l ON l.id = p.version_id
     WHERE r.project_id = $1 AND r.config_id = $2
     ORDER BY r.created_at DESC LIMIT ${SHOWN}`,
    [projectId, configId],
  )
}

export interface StagedPlace {
  readonly id: string
  readonly ns: string
  readonly key: string
  readonly environment: string
  readonly version: number
  readonly baseVersion: number
}

/** Running staged rollouts of the project, newest first, at most 100. */
export async function listStagedPlaces(
  projectId: AuthorizedProjectId,
): Promise<readonly StagedPlace[]> {
  return await readRows<StagedPlace>(
    `SELECT r.id, c.ns, c.key, e.name AS environment, v.number AS version, b.number AS "baseVersion"
     FROM rollouts r JOIN environments e ON e.id = r.environment_id JOIN configs c ON c.id = r.config_id
       JOIN config_versions v ON v.id = r.version_id JOIN config_versions b ON b.id = r.base_version_id
     WHERE r.project_id = $1 AND r.state = 'running' AND r.kind = 'staged' ORDER BY r.created_at DESC, r.id DESC LIMIT 100`,
    [projectId],
  )
}

export interface EndedPlace extends StagedPlace {
  readonly author: string | null
  /** Sessions that began with the new version while the rollout ran. */
  readonly sessions: number
}

const MOST_ENDED = 20

/** Ended staged rollouts of the project, the last ended first, at most 20. */
export async function listEndedPlaces(
  projectId: AuthorizedProjectId,
): Promise<readonly EndedPlace[]> {
  return await readRows<EndedPlace>(
    `WITH shown AS (
       SELECT r.*, c.ns, c.key FROM rollouts r JOIN configs c ON c.id = r.config_id
       WHERE r.project_id = $1 AND r.state <> 'running' AND r.kind = 'staged'
       ORDER BY r.settled_at DESC NULLS LAST, r.id DESC LIMIT ${MOST_ENDED})
     SELECT r.id, r.ns, r.key, e.name AS environment, v.number AS version, b.number AS "baseVersion",
       ${authorName('r.author_id')} AS author,
       (SELECT count(*)::int FROM sessions s WHERE s.project_id = $1 AND s.environment = e.name AND s.ns = r.ns AND s.key = r.key
          AND s.config_digest = v.digest AND s.started_at BETWEEN r.created_at AND coalesce(r.settled_at, now())
          AND ${countedTerm('s.id')}) AS sessions
     FROM shown r JOIN environments e ON e.id = r.environment_id
       JOIN config_versions v ON v.id = r.version_id JOIN config_versions b ON b.id = r.base_version_id
     ORDER BY r.settled_at DESC NULLS LAST, r.id DESC`,
    [projectId],
  )
}

/** Read by the session, so that only those of a compared version are read. */
const BYPASSES = `CASE WHEN s.stop_attempts > 0 THEN (SELECT count(*) FROM stops p WHERE p.project_id = $1
         AND p.session_id = s.id AND p.verdict = 'bypassed' AND p.code <> 'stop.would_block' AND p.via <> 'final') END`
const FAILURES = `CASE WHEN s.denied > 0 THEN (SELECT count(*) FROM denials d WHERE d.project_id = $1
         AND d.session_id = s.id AND d.decision = 'error') END`

/** Counts sessions that began while the rollout ran. The base of a watched release is the sessions of the 14 days before it. */
export async function countCohorts(
  projectId: AuthorizedProjectId,
  configId: string,
): Promise<readonly FoundCounts[]> {
  return await readRows<FoundCounts>(
    `WITH shown AS (
       SELECT r.*, e.name AS environment, c.ns, c.key FROM rollouts r JOIN environments e ON e.id = r.environment_id
         JOIN configs c ON c.id = r.config_id
       WHERE r.project_id = $1 AND r.config_id = $2 ORDER BY r.created_at DESC LIMIT ${SHOWN})
     SELECT r.id, v.digest, count(s.id)::int AS sessions, coalesce(sum(s.calls), 0)::int AS calls,
       coalesce(sum(s.denied), 0)::int AS denied, coalesce(sum(s.stops_blocked), 0)::int AS blocked,
       coalesce(sum(s.overridden), 0)::int AS overridden,
       (count(s.id) FILTER (WHERE s.verification = 'diverged'))::int AS diverged,
       coalesce(sum(s.stop_attempts), 0)::int AS stops, coalesce(sum(${BYPASSES}), 0)::int AS bypassed,
       coalesce(sum(${FAILURES}), 0)::int AS errors, (count(s.id) FILTER (WHERE s.plan_end >= 0))::int AS planned,
       (count(s.id) FILTER (WHERE s.plan_end = 5))::int AS "planDone",
       percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM s.ended_at - s.started_at) * 1000)::float8 AS "medianMs"
     FROM shown r JOIN config_versions v ON v.id IN (r.version_id, r.base_version_id)
       LEFT JOIN sessions s ON s.project_id = $1 AND s.environment = r.environment AND s.ns = r.ns AND s.key = r.key
         AND s.config_digest = v.digest AND s.started_at <= coalesce(r.settled_at, now())
         AND s.started_at >= r.created_at - CASE WHEN r.kind = 'watch' AND v.id = r.base_version_id
           THEN interval '14 days' ELSE interval '0' END AND ${countedTerm('s.id')}
     GROUP BY r.id, v.digest`,
    [projectId, configId],
  )
}

/** Of running rollouts. A session that ended before its rollout, as the base of a watch did, belongs to the first part. */
export async function loadGuardParts(
  projectId: AuthorizedProjectId,
  configId: string,
): Promise<readonly GuardPart[]> {
  return await readRows<GuardPart>(
    `SELECT r.id, least(${GUARD_PARTS} - 1, floor(${GUARD_PARTS} * extract(epoch FROM greatest(coalesce(s.ended_at, s.last_event_at), r.created_at) - r.created_at)
         / greatest(1, extract(epoch FROM now() - r.created_at))))::int AS part,
       t.cohort, count(*)::int AS count, sum(t.value)::float8 AS sum, sum(t.value * t.value)::float8 AS squares
     FROM rollouts r JOIN rollout_sessions t ON t.rollout_id = r.id JOIN sessions s ON s.id = t.session_id AND s.project_id = $1
     WHERE r.project_id = $1 AND r.config_id = $2 AND r.state = 'running' AND ${countedTerm('s.id')}
     GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
    [projectId, configId],
  )
}

export interface ListedChange {
  readonly rolloutId: string
  readonly at: number
  readonly kind: string
  readonly share: number
  readonly revision: number | null
  readonly note: string | null
  readonly author: string | null
}

export async function listChanges(
  projectId: AuthorizedProjectId,
  rolloutIds: readonly string[],
): Promise<readonly ListedChange[]> {
  return await readRows<ListedChange>(
    `SELECT rollout_id AS "rolloutId", ${epochMs('at')} AS at, kind, share, revision, note, ${authorName('author_id')} AS author
     FROM rollout_changes WHERE project_id = $1 AND rollout_id = ANY($2::text[]) ORDER BY at, id LIMIT 1000`,
    [projectId, rolloutIds],
  )
}

export interface ListedShadow {
  readonly environment: string
  readonly version: number
  readonly digest: string
  readonly liveVersion: number
  readonly since: number
  readonly sessions: number
  /** Number of sessions in which the agent would have noticed a difference, and of sessions in which the evaluation stopped early. */
  readonly differing: number
  readonly stopped: number
}

export async function listShadows(
  projectId: AuthorizedProjectId,
  configId: string,
): Promise<readonly ListedShadow[]> {
  return await readRows<ListedShadow>(
    `SELECT e.name AS environment, v.number AS version, v.digest, l.number AS "liveVersion",
       ${epochMs('p.shadow_since')} AS since, found.sessions, found.stopped,
       (SELECT count(DISTINCT d.session_id)::int FROM shadow_differences d WHERE d.project_id = $1
          AND d.environment = e.name AND d.digest = v.digest AND d.at >= p.shadow_since) AS differing
     FROM environment_pointers p JOIN environments e ON e.id = p.environment_id AND e.project_id = $1
       JOIN config_versions v ON v.id = p.shadow_version_id JOIN config_versions l ON l.id = p.version_id
       CROSS JOIN LATERAL (SELECT count(*)::int AS sessions, count(s.stopped)::int AS stopped FROM shadow_sessions s
         WHERE s.project_id = $1 AND s.environment = e.name AND s.digest = v.digest AND s.at >= p.shadow_since) AS found
     WHERE p.config_id = $2 ORDER BY e.position`,
    [projectId, configId],
  )
}

/** `$1`: project, `$2`: config, `e`: environment, `d`: difference. Selects differences of current shadow versions since they were set. */
const FROM_DIFFERENCES = `FROM environment_pointers p JOIN environments e ON e.id = p.environment_id AND e.project_id = $1
       JOIN config_versions v ON v.id = p.shadow_version_id
       JOIN shadow_differences d ON d.project_id = $1 AND d.environment = e.name AND d.digest = v.digest AND d.at >= p.shadow_since
     WHERE p.config_id = $2`

export interface ShadowGroup {
  readonly environment: string
  /** Empty: no single rule makes the difference. */
  readonly rule: string
  readonly subject: string
  readonly live: string
  readonly shadow: string
  readonly sessions: number
  readonly exact: number
  readonly approximate: number
}

/** By rule and change, most sessions first. */
export async function groupDifferences(
  projectId: AuthorizedProjectId,
  configId: string,
): Promise<readonly ShadowGroup[]> {
  return await readRows<ShadowGroup>(
    `SELECT e.name AS environment, d.rule, d.subject, d.live, d.shadow, count(DISTINCT d.session_id)::int AS sessions,
       (count(*) FILTER (WHERE d.is_exact))::int AS exact, (count(*) FILTER (WHERE NOT d.is_exact))::int AS approximate
     ${FROM_DIFFERENCES} GROUP BY 1, 2, 3, 4, 5 ORDER BY sessions DESC, 2, 3 LIMIT 100`,
    [projectId, configId],
  )
}

export interface ListedDifference {
  readonly environment: string
  readonly sessionId: string
  readonly ofSeq: number
  readonly at: number
  readonly subject: string
  readonly tool: string
  readonly rule: string
  readonly live: string
  readonly shadow: string
  readonly text: string | null
  readonly isExact: boolean
  readonly ownFacts: boolean
}

/** Newest first, at most 200. */
export async function listDifferences(
  projectId: AuthorizedProjectId,
  configId: string,
): Promise<readonly ListedDifference[]> {
  return await readRows<ListedDifference>(
    `SELECT e.name AS environment, d.session_id AS "sessionId", d.of_seq AS "ofSeq", ${epochMs('d.at')} AS at, d.subject, d.tool,
       d.rule, d.live, d.shadow, d.text, d.is_exact AS "isExact", d.own_facts AS "ownFacts"
     ${FROM_DIFFERENCES} ORDER BY d.at DESC, d.session_id, d.seq LIMIT 200`,
    [projectId, configId],
  )
}

export interface PartRejection {
  readonly runtime: string
  readonly environment: string
  readonly part: string
  readonly version: number
  readonly reason: string
}

/** Rejections by runtimes seen in the last minute: live candidates and shadow versions that they cannot use. */
export async function listRejections(
  projectId: AuthorizedProjectId,
  configId: string,
): Promise<readonly PartRejection[]> {
  return await readRows<PartRejection>(
    `SELECT t.name AS runtime, t.environment, item->>'part' AS part, v.number AS version, coalesce(item->>'reason', '') AS reason
     FROM environment_pointers p JOIN environments e ON e.id = p.environment_id AND e.project_id = $1
       LEFT JOIN rollouts r ON r.id = p.rollout_id
       JOIN config_versions v ON v.id IN (r.version_id, p.shadow_version_id)
       JOIN runtimes t ON t.project_id = $1 AND t.environment = e.name AND t.stopped_at IS NULL
         AND t.last_seen_at > now() - interval '1 minute'
       CROSS JOIN LATERAL json_array_elements(${readableJson('t.parts')}) AS item
     WHERE p.config_id = $2 AND item->>'digest' = v.digest AND item->>'state' = 'rejected'
     ORDER BY t.name, t.id LIMIT 100`,
    [projectId, configId],
  )
}

export interface RolledBack {
  readonly at: number
  readonly ns: string
  readonly key: string
  readonly environment: string
  readonly version: number
  readonly reason: string
  /** False: it was refused, and is tried again. */
  readonly isDone: boolean
}

/** Rollouts that their guard rolled back since `since` (epoch ms), and those that it could not roll back, newest first. */
export async function listRolledBack(
  projectId: AuthorizedProjectId,
  since: number,
): Promise<readonly RolledBack[]> {
  return await readRows<RolledBack>(
    `SELECT ${epochMs('coalesce(r.settled_at, r.worse_at, r.created_at)')} AS at, c.ns, c.key, e.name AS environment, v.number AS version, coalesce(r.reason, '') AS reason, r.state = 'rolled_back' AS "isDone"
     FROM rollouts r JOIN configs c ON c.id = r.config_id JOIN environments e ON e.id = r.environment_id
       JOIN config_versions v ON v.id = r.version_id
     WHERE r.project_id = $1
       AND (r.state = 'rolled_back' AND r.settled_at >= to_timestamp($2::float8 / 1000) OR r.state = 'running' AND r.reason IS NOT NULL)
     ORDER BY r.settled_at DESC NULLS FIRST LIMIT 20`,
    [projectId, since],
  )
}
