import { database } from '@/server/platform/db/client.ts'
import type { Tenant } from './tenant.ts'

/** Tables without a project column, with how their rows belong to the project `$1`. */
const INDIRECT: Readonly<Record<string, string>> = {
  projects: 'id = $1',
  users: 'id IN (SELECT user_id FROM memberships WHERE project_id = $1)',
  auth_sessions: 'user_id IN (SELECT user_id FROM memberships WHERE project_id = $1)',
  auth_accounts: 'user_id IN (SELECT user_id FROM memberships WHERE project_id = $1)',
}

/** Changes that any authenticated request makes: the time of a key's last use. */
const UNWATCHED: Readonly<Record<string, string>> = { api_keys: 'last_used_at' }

const NO_TENANT = [
  ...['throttles', 'restores', '_prisma_migrations', 'auth_verifications', 'sealed_secrets'],
]

interface Table {
  readonly name: string
  readonly where: string
}

async function readTables(): Promise<readonly Table[]> {
  const { rows } = await database().pool.query<{ name: string; scoped: boolean }>(
    `SELECT c.relname AS name, EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid
       AND a.attname = 'project_id' AND NOT a.attisdropped) AS scoped
     FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
       AND NOT c.relispartition ORDER BY 1`,
  )
  return rows.flatMap(({ name, scoped }) => {
    if (scoped) return [{ name, where: 'project_id = $1' }]
    const where = INDIRECT[name]
    if (where !== undefined) return [{ name, where }]
    if (NO_TENANT.includes(name)) return []
    throw new Error(`Say in traces.ts how rows of "${name}" belong to a project.`)
  })
}

let known: Promise<readonly Table[]> | undefined

/** One statement over every table, because the matrices read them thousands of times. */
async function queryEveryTable(select: (table: Table) => string): Promise<string> {
  known ??= readTables()
  return (await known).map(select).join(' UNION ALL ')
}

export async function fingerprintRows(
  projectId: string,
): Promise<Readonly<Record<string, string>>> {
  const text = await queryEveryTable(({ name, where }) => {
    const column = UNWATCHED[name]
    const line = column === undefined ? 't::text' : `(to_jsonb(t) - '${column}')::text`
    return `SELECT '${name}' AS name, count(*) || ' rows ' || coalesce(md5(string_agg(line, ' ' ORDER BY line)), '') AS rows
      FROM (SELECT ${line} AS line FROM ${name} t WHERE ${where}) lines`
  })
  const { rows } = await database().pool.query<{ name: string; rows: string }>({
    name: 'rows-of-a-tenant',
    text,
    values: [projectId],
  })
  return Object.fromEntries(rows.map((row) => [row.name, row.rows]))
}

const TELLING = ['id', 'email', 'token', 'prefix', 'hash', 'digest', 'user_id', 'signature']

export async function collectWords({ project, mark }: Tenant): Promise<ReadonlySet<string>> {
  const every = await queryEveryTable(
    ({ name, where }) => `SELECT to_jsonb(t) AS row FROM ${name} t WHERE ${where}`,
  )
  const { rows } = await database().pool.query<{ word: string }>({
    name: 'words-of-a-tenant',
    text: `SELECT DISTINCT said.value #>> '{}' AS word FROM (${every}) rows,
       jsonb_each(rows.row) said WHERE said.key = ANY($2) AND jsonb_typeof(said.value) = 'string'
       AND length(said.value #>> '{}') > 8`,
    values: [project.projectId, TELLING],
  })
  return new Set([mark, project.projectId, ...rows.map(({ word }) => word)])
}

export function tracesIn(
  answer: string,
  { words, sent }: { readonly words: ReadonlySet<string>; readonly sent: string },
): readonly string[] {
  return [...words].filter((word) => answer.includes(word) && !sent.includes(word))
}
