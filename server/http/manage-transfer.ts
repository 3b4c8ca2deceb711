import { ExportV1, ImportAnswer, ImportRequest, ReleaseProblem } from '@signalbox/wire'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { EXAMPLE_EXPORT } from './examples.ts'
import { managed } from './manage-gate.ts'
import { ExportQuery, exportResponse, importResponse, MAX_IMPORT_BYTES } from './transfer.ts'

export const TRANSFER_ENDPOINTS = [
  managed(
    {
      method: 'GET',
      path: '/api/manage/v1/export',
      group: 'Transfer',
      summary: 'Export the project',
      description:
        'Returns every config with all its versions and claims, and the live versions of each environment. No secrets and no drafts; events only of pinned cases, if requested.',
      scope: 'read',
      query: ExportQuery,
      answers: { 200: { description: 'The file.', schema: ExportV1, example: EXAMPLE_EXPORT } },
    },
    async ({ scope, query }) => {
      if (query.cases !== 'true') return exportResponse(scope, 'none')
      // A key that reads configs for a runtime may not read what agents did.
      if (!scope.scopes.includes('publish')) {
        const detail =
          'Pinned cases carry recorded events; only a key with the scope publish exports them.'
        throw new ServiceError('forbidden', detail)
      }
      return exportResponse(scope, { environment: scope.environment })
    },
  ),
  managed(
    {
      method: 'POST',
      path: '/api/manage/v1/import',
      group: 'Transfer',
      summary: 'Import configs',
      description:
        'Adds missing configs, versions, pinned cases and claims in one transaction. Sending it again changes nothing. A config whose versions differ from those of the file, whose cases need events that differ from the stored ones, or whose claims expect the other answer, is a conflict, and then nothing is imported. An import makes no releases: promote the versions afterwards.',
      scope: 'publish',
      body: {
        schema: ImportRequest,
        example: { dry_run: true, document: EXAMPLE_EXPORT },
        maxBytes: MAX_IMPORT_BYTES,
      },
      answers: {
        200: {
          description: 'What was imported, or would be.',
          schema: ImportAnswer,
          example: {
            applied: false,
            configs: [
              {
                ns: 'support/triage',
                key: 'answer',
                action: 'create',
                detail: 'new, with 1 version',
                versions_added: 1,
                cases_added: 0,
                claims_added: 0,
              },
            ],
            releases_missing: [],
          },
        },
        409: {
          description: 'Conflicts; nothing was imported.',
          schema: ReleaseProblem,
          contentType: 'application/problem+json',
          example: {
            type: 'about:blank',
            title: 'Conflict',
            status: 409,
            detail: '1 config differs from the file: support/triage/answer. Nothing was imported.',
            code: 'conflict',
          },
        },
      },
    },
    async ({ scope, body }) => importResponse(scope, body.document, body.dry_run),
  ),
]
