import { plural } from '@signalbox/core/analysis'
import { type ExportV1, ImportRequest } from '@signalbox/wire'
import { z } from 'zod'
import { withRequestedProject } from '@/server/platform/auth/asked-project.ts'
import { isSameOrigin } from '@/server/platform/auth/origins.ts'
import { requirePermission } from '@/server/platform/auth/permissions.ts'
import type { Actor, ConfigReader } from '@/server/platform/auth/scope.ts'
import { requireProjectScope } from '@/server/platform/auth/session.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { exportProject } from '@/server/transfer/export-project.ts'
import type { ExportedCases } from '@/server/transfer/export-rows.sql.ts'
import { type ImportResult, importProject } from '@/server/transfer/import-project.ts'
import { readJsonBody } from './json-body.ts'
import { jsonResponse, problemResponse } from './problem.ts'
import { readQuery } from './read-query.ts'
import { fileResponse } from './text-stream.ts'

export const MAX_IMPORT_BYTES = 64 * 1024 * 1024

export const ExportQuery = z.object({
  cases: z
    .enum(['true', 'false'], 'Write "true", or omit it.')
    .default('false')
    .describe(
      "Includes pinned cases and the recorded events that they need: for keys with the scope publish, those of the key's environment.",
    ),
})

export function exportResponse(scope: ConfigReader, cases: ExportedCases): Response {
  return fileResponse({
    name: 'signalbox-export.json',
    type: 'application/json',
    content: exportProject(scope, cases),
  })
}

function importAnswer({ applied, configs, releasesMissing }: ImportResult) {
  return {
    applied,
    configs: configs.map(({ versionsAdded, casesAdded, claimsAdded, ...config }) => ({
      ...config,
      versions_added: versionsAdded,
      cases_added: casesAdded,
      claims_added: claimsAdded,
    })),
    releases_missing: releasesMissing.map(({ environmentExists, ...release }) => ({
      ...release,
      environment_exists: environmentExists,
    })),
  }
}

/** Responds with the actual or planned changes, or with 409 when changes were requested and a config conflicts. */
export async function importResponse(
  actor: Actor,
  document: ExportV1,
  dryRun: boolean,
): Promise<Response> {
  const result = await importProject(actor, document, { dryRun })
  const conflicts = result.configs.filter(({ action }) => action === 'conflict')
  if (dryRun || conflicts.length === 0) return jsonResponse(importAnswer(result))
  const names = conflicts.slice(0, 5).map(({ ns, key }) => `${ns}/${key}`)
  const more = conflicts.length > 5 ? ` and ${conflicts.length - 5} more` : ''
  const differ = `${plural(conflicts.length, 'config')} ${conflicts.length === 1 ? 'differs' : 'differ'}`
  const detail = `${differ} from the file: ${names.join(', ')}${more}. Nothing was imported.`
  return problemResponse({ status: 409, title: 'Conflict', detail, code: 'conflict' })
}

/** GET /api/export/configs: for every role, because all roles may see the sessions of pinned cases. */
export async function exportConfigs(request: Request): Promise<Response> {
  const scope = await requireProjectScope(withRequestedProject(request))
  const { cases } = readQuery(ExportQuery, request)
  return exportResponse(scope, cases === 'true' ? 'all' : 'none')
}

/** POST /api/import/configs: only from the console's own pages, for roles that may release, because versions can be released. */
export async function importConfigs(request: Request): Promise<Response> {
  const scope = await requireProjectScope(withRequestedProject(request))
  if (!isSameOrigin(request.headers)) {
    throw new ServiceError('forbidden', 'This request does not come from the console.')
  }
  requirePermission(scope.role, 'release.publish')
  const body = await readJsonBody(request, ImportRequest, MAX_IMPORT_BYTES)
  return await importResponse(scope, body.document, body.dry_run)
}
