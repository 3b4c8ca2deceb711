// What an export holds: configs by page, each with its versions and pointers, as one row that is the file's own text.
import 'server-only'
import type { ConfigReader } from '../auth/scope.ts'
import { authorName, epochMs, readRows } from './rows.ts'

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
}

/** The config after the prompt `after` (null: the first), or null behind the last. One statement, so one moment. */
export async function exportedConfigAfter(
  scope: ConfigReader,
  after: { readonly ns: string; readonly key: string } | null,
): Promise<ExportedRow | null> {
  const rows = await readRows<ExportedRow>(
    `SELECT c.ns, c.key, c.archived_at IS NOT NULL AS archived,
       coalesce((SELECT json_agg(json_build_object('number', v.number, 'digest', v.digest, 'text', v.text, 'note', v.note,
         'author', ${authorName('v.author_id')}, 'created_at', ${epochMs('v.created_at')}) ORDER BY v.number)
         FROM config_versions v WHERE v.config_id = c.id), '[]'::json) AS versions,
       coalesce((SELECT json_agg(json_build_object('environment', e.name, 'version', v.number) ORDER BY e.position)
         FROM environment_pointers p JOIN environments e ON e.id = p.environment_id
         JOIN config_versions v ON v.id = p.version_id WHERE p.config_id = c.id), '[]'::json) AS live
     FROM configs c WHERE c.project_id = $1 AND ($2::text IS NULL OR (c.ns, c.key) > ($2, $3))
     ORDER BY c.ns, c.key LIMIT 1`,
    [scope.projectId, after?.ns ?? null, after?.key ?? null],
  )
  return rows[0] ?? null
}
