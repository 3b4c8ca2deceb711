import 'server-only'
import type { ConfigReader } from '@/server/platform/auth/scope.ts'
import { readRows } from '@/server/platform/sql/rows.ts'
import { STALE_AFTER_MS } from '@/server/runtimes/runtime-status.ts'
import type { PromptName } from './configs.sql.ts'

export interface PromptHost {
  readonly name: string
  readonly environment: string
  readonly harness: string
  readonly customTypes: readonly { readonly kind: string; readonly type: string }[]
}

const MOST_HOSTS = 200

/** By environment and name; at most 200. */
export async function listPromptHosts(
  scope: ConfigReader,
  { ns, key }: PromptName,
): Promise<readonly PromptHost[]> {
  return await readRows<PromptHost>(
    `SELECT r.name, r.environment, concat_ws(' ', r.harness->>'name', r.harness->>'version') AS harness,
       coalesce((SELECT json_agg(json_build_object('kind', t->>'kind', 'type', t->>'type'))
         FROM json_array_elements(r.capabilities->'custom_types') t), '[]'::json) AS "customTypes"
     FROM runtimes r WHERE r.project_id = $1 AND $2 = ANY(r.prompts) AND r.stopped_at IS NULL AND r.last_seen_at >= $3
     ORDER BY r.environment, r.name, r.id LIMIT ${MOST_HOSTS}`,
    [scope.projectId, `${ns}/${key}`, new Date(Date.now() - STALE_AFTER_MS)],
  )
}
