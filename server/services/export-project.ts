// Everything of a project that is authored, as one file: configs with all versions, environments, what runs where. Made
// config by config, so that a large project costs no memory. Without secrets, events, people and drafts.
import type { ConfigReader } from '../auth/scope.ts'
import { exportedConfigAfter } from '../read-models/export-rows.ts'
import { listEnvironments } from '../repositories/environments.ts'
import { findProjectSlug } from '../repositories/projects.ts'

/** Pieces of the JSON text, formatted as people would diff it. */
export async function* exportProject(scope: ConfigReader): AsyncGenerator<string> {
  const environments = (await listEnvironments(scope.projectId)).map(
    ({ name, position, requiresNote, requiresTypedName }) => ({
      ...{ name, position, requires_note: requiresNote, requires_confirm: requiresTypedName },
    }),
  )
  const head = {
    export_version: 1,
    project: await findProjectSlug(scope.projectId),
    exported_at: Date.now(),
    environments,
  }
  yield `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "configs": [`
  let last: { readonly ns: string; readonly key: string } | null = null
  for (;;) {
    const config = await exportedConfigAfter(scope, last)
    if (config === null) break
    const text = JSON.stringify(config, null, 2).replaceAll('\n', '\n    ')
    yield `${last === null ? '' : ','}\n    ${text}`
    last = config
  }
  yield `${last === null ? '' : '\n  '}]\n}\n`
}
