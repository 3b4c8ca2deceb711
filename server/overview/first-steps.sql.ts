// Progress of Get started: one statement over indexed rows. The demo completes no step.
import 'server-only'
import { DEMO_NAMESPACE, DEMO_RUNTIME } from '@signalbox/wire'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { Prisma } from '@/server/platform/db/generated/client.ts'
import { reader } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import type { PromptName } from '@/server/platform/list/define-list.ts'
import { countedTerm } from '@/server/platform/sql/counted-term.ts'

export interface FirstCall {
  readonly session: string
  readonly ns: string
  readonly key: string
  /** The agent's own name for it. */
  readonly tool: string
  /** In words for a sentence. */
  readonly verdict: string
}

export interface FirstSteps {
  /**
   * The prompt that was asked for, or the one with the most progress: an agent called a tool under rules that act, an agent called a tool,
   * rules that act are released, rules are released, a session started. Null: none. Calls, rules and config below are its own.
   */
  readonly prompt: PromptName | null
  /** Narrowed to the key that was asked for. */
  readonly hasKey: boolean
  /** Name and state of the newest runtime; null: none connected. */
  readonly runtime: { readonly name: string; readonly isRunning: boolean } | null
  /** Id of the first session; null: none. */
  readonly session: string | null
  readonly hasCalled: boolean
  /** The oldest session's; null: none is stored, although retention may have removed one. */
  readonly firstCall: FirstCall | null
  /** The first session ended, or is silent for ten minutes. */
  readonly isWatched: boolean
  /** A release has a rule that acts. */
  readonly isEnforced: boolean
  readonly hasConfig: boolean
  readonly hasRelease: boolean
}

export interface FirstStepsInput {
  /** Absent: what any key of the project did counts. */
  readonly keyId?: string | undefined
  /** Only sessions whose hooks reported their capabilities for this coding agent. Absent: all. */
  readonly harness?: string | undefined
  readonly prompt?: PromptName | undefined
}

const ACTS = '? (!exists(@.mode) || @.mode == "enforce")'
/** The lists of rules of a document and of its sections. */
const ACTING = ['policies', 'content', 'feedback_providers']
  .map((list) => `exists($.**."${list}"[*] ${ACTS})`)
  .join(' || ')
const ENFORCING = `$ ? (${ACTING} || (exists(@.task_completion_checker) && (!exists(@.limits.max_stop_blocks) || @.limits.max_stop_blocks > 0)))`

const FURTHEST = Prisma.sql`SELECT ns, key FROM (
    SELECT 0 AS place, started_at AS at, ns, key FROM called
    UNION ALL SELECT CASE WHEN acts THEN 1 ELSE 2 END, at, ns, key FROM released
    UNION ALL SELECT 3, started_at, ns, key FROM first
  ) p ORDER BY place, at LIMIT 1`

/** The released prompts of the project, without those of the demo and of archived configs. */
function selectReleased(projectId: AuthorizedProjectId, about: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT ns, key, r.at, EXISTS (SELECT 1 FROM releases n JOIN config_versions v ON v.id = n.version_id
      WHERE n.project_id = ${projectId} AND n.config_id = c.id
        AND jsonb_path_exists(v.document, ${ENFORCING}::jsonpath)) AS acts
    FROM configs c JOIN (SELECT config_id, min(created_at) AS at FROM releases WHERE project_id = ${projectId}
      GROUP BY 1) r ON r.config_id = c.id
    WHERE project_id = ${projectId} AND ns <> ${DEMO_NAMESPACE} AND archived_at IS NULL ${about}`
}

const COUNTED = Prisma.raw(countedTerm('id'))

/** One row at most, from the start of an index: pages ask every few seconds. The hosts of one key are few, those of a project may not be. */
function selectOldest(projectId: AuthorizedProjectId, key: string | null, condition: Prisma.Sql) {
  const pick = (where: Prisma.Sql) => Prisma.sql`
    SELECT id, ns, key, partition_day, started_at, ended_at, last_event_at FROM sessions
    WHERE project_id = ${projectId} AND ${condition} ${where} ORDER BY started_at, id LIMIT 1`
  if (key === null) return pick(Prisma.empty)
  return Prisma.sql`SELECT s.* FROM hosts CROSS JOIN LATERAL (${pick(Prisma.sql`AND runtime_id = hosts.id`)}) s
    ORDER BY s.started_at, s.id LIMIT 1`
}

export async function loadFirstSteps(
  { projectId }: ProjectScope,
  { keyId, harness, prompt }: FirstStepsInput,
): Promise<FirstSteps> {
  const key = keyId ?? null
  const about =
    prompt === undefined ? Prisma.empty : Prisma.sql`AND ns = ${prompt.ns} AND key = ${prompt.key}`
  // By its text, because PostgreSQL cannot read every JSON text that it stores.
  const named = `{"name":${JSON.stringify(harness)}`
  const hooked =
    harness === undefined
      ? Prisma.empty
      : Prisma.sql`AND capabilities IS NOT NULL AND starts_with(harness::text, ${named})`
  const counted = Prisma.sql`${COUNTED} ${hooked} ${about}`
  const calling = Prisma.sql`${counted} AND calls > 0`
  const acting = Prisma.sql`${calling} AND ns = released.ns AND key = released.key`
  const rows = await reader().$queryRaw<FirstSteps[]>`
    WITH hosts AS (
      SELECT id, name, stopped_at, last_seen_at FROM runtimes
      WHERE project_id = ${projectId} AND (${key}::text IS NULL OR api_key_id = ${key}) AND name <> ${DEMO_RUNTIME}
    ), first AS (
      ${selectOldest(projectId, key, counted)}
    ), released AS (
      ${selectReleased(projectId, about)}
    ), called AS (
      SELECT * FROM (
        SELECT s.*, true AS acts FROM released CROSS JOIN LATERAL (${selectOldest(projectId, key, acting)}) s WHERE acts
        UNION ALL SELECT s.*, false FROM (${selectOldest(projectId, key, calling)}) s
      ) s ORDER BY acts DESC, started_at, id LIMIT 1
    ), shown AS (
      ${prompt === undefined ? FURTHEST : Prisma.sql`SELECT ${prompt.ns}::text AS ns, ${prompt.key}::text AS key`}
    ), first_call AS (
      SELECT e.session_id AS session, called.ns, called.key, coalesce((SELECT native_tool FROM session_events r
          WHERE r.session_id = called.id AND r.partition_day = called.partition_day AND r.seq < e.seq
            AND r.type = 'tool.requested' ORDER BY r.seq DESC LIMIT 1), e.subject) AS tool,
        CASE e.verdict WHEN 'would_deny' THEN 'would be denied' ELSE e.verdict END AS verdict
      FROM called JOIN session_events e ON e.session_id = called.id AND e.partition_day = called.partition_day
      WHERE e.type = 'tool.decided' ORDER BY e.seq LIMIT 1
    )
    SELECT
      (SELECT row_to_json(shown) FROM shown) AS prompt,
      EXISTS (SELECT 1 FROM api_keys WHERE project_id = ${projectId} AND revoked_at IS NULL
        AND (${key}::text IS NULL OR id = ${key})
        AND (${key}::text IS NOT NULL OR id IN (SELECT api_key_id FROM runtimes WHERE id IN (SELECT id FROM hosts)))
      ) AS "hasKey",
      (SELECT json_build_object('name', name, 'isRunning', stopped_at IS NULL)
        FROM hosts ORDER BY last_seen_at DESC LIMIT 1) AS runtime,
      (SELECT id FROM first) AS session, EXISTS (SELECT 1 FROM called) AS "hasCalled",
      (SELECT row_to_json(first_call) FROM first_call) AS "firstCall",
      EXISTS (SELECT 1 FROM called WHERE ended_at IS NOT NULL OR last_event_at < now() - interval '10 minutes')
        AS "isWatched",
      EXISTS (SELECT 1 FROM released JOIN shown USING (ns, key) WHERE acts) AS "isEnforced",
      EXISTS (SELECT 1 FROM configs JOIN shown USING (ns, key) WHERE project_id = ${projectId}) AS "hasConfig",
      EXISTS (SELECT 1 FROM releases r JOIN configs c ON c.id = r.config_id JOIN shown USING (ns, key)
        WHERE r.project_id = ${projectId}) AS "hasRelease"`
  const [row] = rows
  if (row === undefined) throw new Error('A SELECT without FROM has one row.')
  return row
}
