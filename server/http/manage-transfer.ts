// /api/manage/v1/export and /import: a project's configs as one file (specs/config-as-code.md).
import { ServiceError } from '@/server/platform/errors.ts'
import { managed } from './manage-gate.ts'
import { exportRoute, importRoute } from './openapi/release-routes.ts'
import { exportResponse, importResponse } from './transfer.ts'

export const getExport = managed(exportRoute, async ({ scope, query }) => {
  if (query.cases !== 'true') return exportResponse(scope, 'none')
  // A key that reads configs for a runtime is not one that reads what agents did.
  if (!scope.scopes.includes('publish')) {
    const detail =
      'Pinned cases carry recorded events; only a key with the scope publish exports them.'
    throw new ServiceError('forbidden', detail)
  }
  return exportResponse(scope, { environment: scope.environment })
})

export const postImport = managed(importRoute, async ({ scope, body }) =>
  importResponse(scope, body.document, body.dry_run),
)
