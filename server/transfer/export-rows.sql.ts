import 'server-only'
import type { Claim } from '@signalbox/wire'
import type { ConfigReader } from '@/server/platform/auth/scope.ts'
import { authorName, epochMs, readRows } from '@/server/platform/sql/rows.ts'

export interface ExportedRow {
  readonly ns: string
  readonly key: string
  readonly archived: boolean
  readonly versions: readonly {
    readonly number: number
    readonly digest: string
    readonly text: string
    readonly note: string | null
    readonly author: string | null
    readonly created_at: number
  }[]
  readonly live: readonly { readonly environment: string; readonly version: number }[]
  readonly claims?: readonly Claim[]
  readonly cases?: readonly {
    readonly session: string
    readonly seq: number
    readonly kind: string
    readonly call_id: string | null
    readonly name: string
    readonly recorded: string
    readonly expected: string
    readonly note: string | null
    readonly environment: string
    readonly config_digest: string | null
    readonly author: string | null
    readonly created_at: number
  }[]
}

export type ExportedCases = 'none' | 'all' | { readonly environment: string }

const CASES = `coalesce((SELECT json_agg(json_build_object('session', p.session_id, 'seq', p.seq, 'kind', p.kind,
    'call_id', p.call_id, 'name', p.name, 'recorded', p.recorded, 'expected', p.expected,
    'note', p.note, 'environment', p.environment, 'config_digest', p.config_digest, 'author', ${authorName('p.created_by')},
    'created_at', ${epochMs('p.created_at')}) ORDER BY p.session_id, p.seq)
  FROM pinned_cases p WHERE p.config_id = c.id AND ($4::text IS NULL OR p.environment = $4)), '[]'::json)`

/** The config after the prompt `after` (null: the first); null: there is none. One statement, so its parts are of one moment. */
export async function exportedConfigAfter(
  scope: ConfigReader,
  after: { readonly ns: string; readonly key: string } | null,
  cases: ExportedCases,
): Promise<ExportedRow | null> {
  const values = [scope.projectId, after?.ns ?? null, after?.key ?? null]
  const rows = await readRows<
    Omit<ExportedRow, 'claims'> & { readonly claims: readonly Claim[] | null }
  >(
    `SELECT c.ns, c.key, c.archived_at IS NOT NULL AS archived,
       coalesce((SELECT json_agg(json_build_object('number', v.number, 'digest', v.digest, 'text', v.text, 'note', v.note,
         'author', ${authorName('v.author_id')}, 'created_at', ${epochMs('v.created_at')}) ORDER BY v.number)
         FROM config_versions v WHERE v.config_id = c.id), '[]'::json) AS versions,
       coalesce((SELECT json_agg(json_build_object('environment', e.name, 'version', v.number) ORDER BY e.position)
         FROM environment_pointers p JOIN environments e ON e.id = p.environment_id
         JOIN config_versions v ON v.id = p.version_id WHERE p.config_id = c.id), '[]'::json) AS live,
       (SELECT json_agg(json_build_object('question', l.question, 'expect', l.expect) ORDER BY l.created_at, l.id)
         FROM claims l WHERE l.config_id = c.id) AS claims
       ${cases === 'none' ? '' : `, ${CASES} AS cases`}
     FROM configs c WHERE c.project_id = $1 AND ($2::text IS NULL OR (c.ns, c.key) > ($2, $3))
     ORDER BY c.ns, c.key LIMIT 1`,
    cases === 'none' ? values : [...values, cases === 'all' ? null : cases.environment],
  )
  const [row] = rows
  if (row === undefined) return null
  const { claims, ...rest } = row
  // An older server refuses a field that it does not know.
  return claims === null ? rest : { ...rest, claims }
}
