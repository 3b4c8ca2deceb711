// What belongs to one tenant, as a stranger would recognise it, and whether anything of it changed. Tests only.
import { createHash } from 'node:crypto'
import { database } from '../db/client.ts'
import type { Tenant } from './tenant.ts'

/** Tables without a project column, with how their rows belong to the project `$1`. */
const INDIRECT: Readonly<Record<string, string>> = {
  projects: 'id = $1',
  users: 'id IN (SELECT user_id FROM memberships WHERE project_id = $1)',
  auth_sessions: 'user_id IN (SELECT user_id FROM memberships WHERE project_id = $1)',
  auth_accounts: 'user_id IN (SELECT user_id FROM memberships WHERE project_id = $1)',
  bundles: 'environment_id IN (SELECT id FROM environments WHERE project_id = $1)',
  environment_pointers: 'environment_id IN (SELECT id FROM environments WHERE project_id = $1)',
  session_snapshots: 'session_id IN (SELECT id FROM sessions WHERE project_id = $1)',
}

/** Changes that only being let in makes: when a key was last used. */
const UNWATCHED: Readonly<Record<string, string>> = { api_keys: 'last_used_at' }

const NO_TENANT = ['_prisma_migrations', 'auth_verifications']

async function tables(): Promise<readonly { readonly name: string; readonly where: string }[]> {
  const { rows } = await database().pool.query<{ name: string; scoped: boolean }>(
    `SELECT c.relname AS name, EXISTS (SELECT 1 FROM information_schema.columns i WHERE i.table_schema = 'public'
       AND i.table_name = c.relname AND i.column_name = 'project_id') AS scoped
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

/** A fingerprint of each table's rows that belong to the project. */
export async function rowsOf(projectId: string): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {}
  for (const { name, where } of await tables()) {
    const column = UNWATCHED[name]
    const line = column === undefined ? 't::text' : `(to_jsonb(t) - '${column}')::text`
    const { rows } = await database().pool.query<{ count: number; text: string | null }>(
      `SELECT count(*)::int AS count, string_agg(line, ' ' ORDER BY line) AS text
       FROM (SELECT ${line} AS line FROM ${name} t WHERE ${where}) lines`,
      [projectId],
    )
    const { count = 0, text = '' } = rows[0] ?? {}
    const hash = createHash('sha256')
      .update(text ?? '')
      .digest('hex')
      .slice(0, 16)
    found[name] = `${count} rows ${hash}`
  }
  return found
}

/** Ids, addresses and secrets' traces of the tenant, and its mark, which all its names and texts hold. */
export async function wordsOf({ project, mark }: Tenant): Promise<ReadonlySet<string>> {
  const words = new Set([mark, project.projectId])
  for (const { name, where } of await tables()) {
    const { rows } = await database().pool.query<{ row: Record<string, unknown> }>(
      `SELECT row_to_json(t) AS row FROM ${name} t WHERE ${where}`,
      [project.projectId],
    )
    for (const { row } of rows) {
      const tells = ['id', 'email', 'token', 'prefix', 'hash', 'digest', 'user_id', 'signature']
      for (const column of tells) {
        const value = row[column]
        if (typeof value === 'string' && value.length > 8) words.add(value)
      }
    }
  }
  return words
}

/** Words of a tenant that the answer holds and that the asker did not send. */
export function tracesIn(
  answer: string,
  { words, sent }: { readonly words: ReadonlySet<string>; readonly sent: string },
): readonly string[] {
  return [...words].filter((word) => answer.includes(word) && !sent.includes(word))
}
