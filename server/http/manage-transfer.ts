// /api/manage/v1/export and /import: a project's configs as one file (specs/config-as-code.md).
import { exportProject } from '../services/export-project.ts'
import { type ImportResult, importProject } from '../services/import-project.ts'
import { managed } from './manage-gate.ts'
import { exportRoute, importRoute } from './openapi/release-routes.ts'
import { jsonResponse, problemResponse } from './problem.ts'
import { streamOf } from './text-stream.ts'

/** As a file: `signalbox-export.json`. */
function exportResponse(pieces: AsyncGenerator<string>): Response {
  return new Response(streamOf(pieces), {
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': 'attachment; filename="signalbox-export.json"',
      'cache-control': 'no-store',
    },
  })
}

function importAnswer({ applied, configs, releasesMissing }: ImportResult) {
  return {
    applied,
    configs: configs.map(({ versionsAdded, ...config }) => ({
      ...config,
      versions_added: versionsAdded,
    })),
    releases_missing: releasesMissing.map(({ environmentExists, ...release }) => ({
      ...release,
      environment_exists: environmentExists,
    })),
  }
}

export const getExport = managed(exportRoute, async ({ scope }) =>
  exportResponse(exportProject(scope)),
)

export const postImport = managed(importRoute, async ({ scope, body }) => {
  const dryRun = body.dry_run
  const result = await importProject(scope, body.document, { dryRun })
  const conflicts = result.configs.filter(({ action }) => action === 'conflict')
  if (dryRun || conflicts.length === 0) return jsonResponse(importAnswer(result))
  const names = conflicts.slice(0, 5).map(({ ns, key }) => `${ns}/${key}`)
  const more = conflicts.length > 5 ? ` and ${conflicts.length - 5} more` : ''
  const differ = conflicts.length === 1 ? '1 config differs' : `${conflicts.length} configs differ`
  const detail = `${differ} from the file: ${names.join(', ')}${more}. Nothing was imported.`
  return problemResponse({ status: 409, title: 'Conflict', detail, code: 'conflict' })
})
