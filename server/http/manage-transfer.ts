// /api/manage/v1/export and /import: a project's configs as one file (specs/config-as-code.md).
import { managed } from './manage-gate.ts'
import { exportRoute, importRoute } from './openapi/release-routes.ts'
import { exportResponse, importResponse } from './transfer.ts'

export const getExport = managed(exportRoute, async ({ scope }) => exportResponse(scope))

export const postImport = managed(importRoute, async ({ scope, body }) =>
  importResponse(scope, body.document, body.dry_run),
)
