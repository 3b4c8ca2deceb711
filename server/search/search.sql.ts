// Each kind is one statement with its own limit, so the answer is as fast with 100,000 sessions as with ten. `$1` is always the project.
import 'server-only'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { foldText, holdsEvery, likeLiteral } from '@/server/platform/sql/folded-text.ts'
import { epochMs, readRows } from '@/server/platform/sql/rows.ts'
import { WITH_PROMPTS } from '@/server/sessions/session-columns.sql.ts'

export const MOST_HITS = 10
export const MOST_LOOKED_THROUGH = 20_000

interface Prompt {
  readonly ns: string
  readonly key: string
}

export interface SessionHit extends Prompt {
  readonly kind: 'session'
  readonly id: string
  readonly environment: string
  readonly at: number
}

export interface RefusalHit extends Prompt {
  readonly kind: 'stop' | 'decision'
  readonly id: string
  readonly verdict: string
  readonly reason: string
  readonly at: number
}

export interface ConfigHit extends Prompt {
  readonly kind: 'config'
  readonly id: string
  readonly isArchived: boolean
}

export interface RuleHit extends Prompt {
  readonly kind: 'rule'
  readonly id: string
  readonly rule: string
  readonly type: string
}

export interface RuntimeHit {
  readonly kind: 'runtime'
  readonly id: string
  readonly name: string
  readonly environment: string
  readonly at: number
}

export interface AnnotationHit {
  readonly kind: 'annotation'
  readonly id: string
  readonly sessionId: string
  readonly seq: number | null
  readonly text: string
  readonly author: string
  readonly at: number
}

export interface ViewHit {
  readonly kind: 'view'
  readonly id: string
  readonly list: string
  readonly name: string
  readonly query: string
  readonly owner: string
  readonly shared: boolean
}

export type Hit =
  | SessionHit
  | RefusalHit
  | ConfigHit
  | RuleHit
  | RuntimeHit
  | AnnotationHit
  | ViewHit

interface Asked {
  readonly projectId: AuthorizedProjectId
  readonly words: readonly string[]
}

type Statement = (holds: (expression: string) => string) => string

async function hits<H extends Hit>(
  { projectId, words }: Asked,
  statement: Statement,
): Promise<H[]> {
  const values: unknown[] = [projectId]
  const bind = (value: unknown): string => `$${values.push(value)}`
  const text = statement((expression) => holdsEvery(expression, words, bind))
  return await readRows<H>(`${text} LIMIT ${MOST_HITS + 1}`, values)
}

export function searchSessions(asked: Asked): Promise<SessionHit[]> {
  return hits(
    asked,
    (holds) => `${WITH_PROMPTS}
      SELECT 'session' AS kind, s.id, s.ns, s.key, s.environment, ${epochMs('s.started_at')} AS at
      FROM (SELECT ns, key FROM prompts WHERE ${holds(`ns || '/' || key`)} LIMIT 100) p
      CROSS JOIN LATERAL (SELECT * FROM sessions x WHERE x.project_id = $1 AND x.ns = p.ns AND x.key = p.key
        ORDER BY x.started_at DESC LIMIT ${MOST_HITS + 1}) s
      ORDER BY s.started_at DESC, s.id DESC`,
  )
}

/** Sessions whose id begins with `prefix`, in capitals or as typed. `prefix` begins with `sess_`. */
export function findSessionIds(
  projectId: AuthorizedProjectId,
  prefix: string,
): Promise<SessionHit[]> {
  return readRows<SessionHit>(
    `SELECT 'session' AS kind, s.id, s.ns, s.key, s.environment, ${epochMs('s.started_at')} AS at FROM sessions s
     WHERE s.project_id = $1 AND (s.id COLLATE "C" LIKE $2 OR s.id COLLATE "C" LIKE $3) ORDER BY s.id LIMIT ${MOST_HITS + 1}`,
    [projectId, `${likeLiteral(prefix)}%`, `sess\\_${likeLiteral(prefix.slice(5).toUpperCase())}%`],
  )
}

const newest = (table: 'stops' | 'denials'): string =>
  `(SELECT * FROM ${table} WHERE project_id = $1 ORDER BY at DESC, id DESC LIMIT ${MOST_LOOKED_THROUGH}) t`

export function findStops(asked: Asked): Promise<RefusalHit[]> {
  return hits(
    asked,
    (
      holds,
    ) => `SELECT 'stop' AS kind, id, ns, key, verdict, reason, ${epochMs('at')} AS at FROM ${newest('stops')}
      WHERE ${holds(`reason || ' ' || code`)} ORDER BY t.at DESC, t.id DESC`,
  )
}

export function findDenials(asked: Asked): Promise<RefusalHit[]> {
  return hits(
    asked,
    (
      holds,
    ) => `SELECT 'decision' AS kind, id, ns, key, decision AS verdict, reason, ${epochMs('at')} AS at FROM ${newest('denials')}
      WHERE ${holds(`tool || ' ' || reason || ' ' || code`)} ORDER BY t.at DESC, t.id DESC`,
  )
}

export function findConfigs(asked: Asked): Promise<ConfigHit[]> {
  return hits(
    asked,
    (
      holds,
    ) => `SELECT 'config' AS kind, id, ns, key, archived_at IS NOT NULL AS "isArchived" FROM configs
      WHERE project_id = $1 AND ${holds(`ns || '/' || key`)} ORDER BY archived_at IS NOT NULL, ns, key`,
  )
}

/** Content rules have a kind instead of a type. */
const RULE_TYPE = `coalesce(r.rule->>'type', 'content: ' || (r.rule->>'kind'))`

export function findRules(asked: Asked): Promise<RuleHit[]> {
  return hits(
    asked,
    (
      holds,
    ) => `SELECT 'rule' AS kind, c.id || ' ' || (r.rule->>'id') AS id, c.ns, c.key, r.rule->>'id' AS rule, ${RULE_TYPE} AS type
      FROM configs c CROSS JOIN LATERAL (SELECT document FROM config_versions v WHERE v.config_id = c.id ORDER BY number DESC LIMIT 1) v
      CROSS JOIN LATERAL jsonb_path_query(v.document, 'strict $.** ? (exists(@.id) && (exists(@.type) || exists(@.on) && exists(@.kind)))') r(rule)
      WHERE c.project_id = $1 AND c.archived_at IS NULL
        AND ${holds(`(r.rule->>'id') || ' ' || ${RULE_TYPE} || ' ' || coalesce(r.rule->>'description', '')`)}
      ORDER BY c.ns, c.key, 5`,
  )
}

export function findRuntimes(asked: Asked): Promise<RuntimeHit[]> {
  return hits(
    asked,
    (
      holds,
    ) => `SELECT 'runtime' AS kind, id, name, environment, ${epochMs('last_seen_at')} AS at FROM runtimes
      WHERE project_id = $1 AND ${holds(`name || ' ' || id`)} ORDER BY last_seen_at DESC, id`,
  )
}

export function findAnnotations(asked: Asked): Promise<AnnotationHit[]> {
  return hits(
    asked,
    (
      holds,
    ) => `SELECT 'annotation' AS kind, id, session_id AS "sessionId", seq, text, author, ${epochMs('created_at')} AS at FROM annotations
      WHERE project_id = $1 AND ${holds(`text || ' ' || author`)} ORDER BY created_at DESC, id DESC`,
  )
}

export function filterByName<View extends { readonly name: string }>(
  views: readonly View[],
  words: readonly string[],
): readonly View[] {
  const wanted = words.map(foldText)
  return views.filter(({ name }) => {
    const folded = foldText(name)
    return wanted.every((word) => folded.includes(word))
  })
}
