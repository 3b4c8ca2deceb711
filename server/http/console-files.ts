import type { Context } from 'hono'
import { z } from 'zod'
import { decisionReport } from '@/server/explanations/decision-report.ts'
import { decisionBundle, stopBundle } from '@/server/explanations/portable-bundle.ts'
import { sessionMarkdown } from '@/server/explanations/session-report-text.ts'
import { stopReport } from '@/server/explanations/stop-report.ts'
import { findOwnProject } from '@/server/people/projects.ts'
import { PROJECT_HEADER, withRequestedProject } from '@/server/platform/auth/asked-project.ts'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { requireProjectScope, requireUser } from '@/server/platform/auth/session.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import {
  exportAnnotations,
  exportSession,
  exportSessionTable,
} from '@/server/sessions/export-session.ts'
import {
  handleExportAuditLog,
  handleExportDenials,
  handleExportFeedback,
  handleExportSessions,
  handleExportStops,
} from './export-lists.ts'
import { importSessionEvents } from './import-session.ts'
import { readQuery } from './read-query.ts'
import { fileResponse } from './text-stream.ts'
import { exportConfigs, importConfigs } from './transfer.ts'

type Handler = (context: Context) => Promise<Response>

const CSV = 'text/csv'
const NDJSON = 'application/x-ndjson'
const MARKDOWN = 'text/markdown'

interface RecordFile {
  readonly type: string
  readonly ending: string
  readonly make: (scope: ProjectScope, id: string) => Promise<string | AsyncGenerator<string>>
}

interface RecordFiles<Format extends string> {
  readonly id: RegExp
  readonly missing: string
  readonly query: z.ZodType<{ readonly format: Format }>
  readonly files: Readonly<Record<Format, RecordFile>>
}

function recordFile<Format extends string>(record: RecordFiles<Format>): Handler {
  return async ({ req }) => {
    const id = req.param('id') ?? ''
    // An address may contain characters that a database text may not.
    const isId = record.id.test(id)
    const scope = await requireRecordScope(req.raw, isId ? id : null)
    if (!isId) throw new ServiceError('not_found', record.missing)
    const { type, ending, make } = record.files[readQuery(record.query, req.raw).format]
    return fileResponse({ name: `${id}${ending}`, type, content: await make(scope, id) })
  }
}

/** If a link to a file names no project, finds the user's project that contains the record. `id` null: not an id. */
async function requireRecordScope(request: Request, id: string | null): Promise<ProjectScope> {
  const headers = withRequestedProject(request)
  if (!headers.has(PROJECT_HEADER) && id !== null) {
    const user = await requireUser(headers)
    const slug = await findOwnProject(user.id, id)
    if (slug !== null) headers.set(PROJECT_HEADER, slug)
  }
  return await requireProjectScope(headers)
}

export const SessionFileQuery = z.object({
  format: z
    .enum(['jsonl', 'csv', 'annotations', 'md'], 'Write jsonl, csv, annotations or md.')
    .default('jsonl'),
})

const SESSION = {
  id: /^[A-Za-z0-9_]{1,80}$/,
  missing: 'There is no such session.',
  query: SessionFileQuery,
  files: {
    jsonl: { type: NDJSON, ending: '.jsonl', make: exportSession },
    csv: { type: CSV, ending: '.csv', make: exportSessionTable },
    annotations: { type: NDJSON, ending: '-annotations.jsonl', make: exportAnnotations },
    md: {
      type: MARKDOWN,
      ending: '.md',
      make: (scope, id) => sessionMarkdown(scope, id, Date.now()),
    },
  },
} as const satisfies RecordFiles<z.infer<typeof SessionFileQuery>['format']>

export const ReportQuery = z.object({
  format: z.enum(['json', 'md', 'bundle'], 'Write json, md or bundle.').default('json'),
})

interface Report {
  readonly make: (
    scope: ProjectScope,
    id: string,
    now: number,
  ) => Promise<{ readonly json: string; readonly md: string }>
  readonly bundle: (
    scope: ProjectScope,
    id: string,
    now: number,
  ) => Promise<string | AsyncGenerator<string>>
}

function reportFile({ make, bundle }: Report): Handler {
  return recordFile({
    id: /^(?:stop|dec)_[A-Za-z0-9_]{1,60}$/,
    missing: 'There is no such record.',
    query: ReportQuery,
    files: {
      json: {
        type: 'application/json',
        ending: '.json',
        make: async (scope, id) => (await make(scope, id, Date.now())).json,
      },
      md: {
        type: MARKDOWN,
        ending: '.md',
        make: async (scope, id) => (await make(scope, id, Date.now())).md,
      },
      bundle: {
        type: NDJSON,
        ending: '.signalbox',
        make: (scope, id) => bundle(scope, id, Date.now()),
      },
    },
  })
}

export const CONSOLE_FILES: Readonly<Record<string, Handler>> = {
  'GET /api/export/audit': ({ req }) => handleExportAuditLog(req.raw),
  'GET /api/export/configs': ({ req }) => exportConfigs(req.raw),
  'GET /api/export/decisions': ({ req }) => handleExportDenials(req.raw),
  'GET /api/export/decisions/:id': reportFile({ make: decisionReport, bundle: decisionBundle }),
  'GET /api/export/feedback': ({ req }) => handleExportFeedback(req.raw),
  'GET /api/export/sessions': ({ req }) => handleExportSessions(req.raw),
  'GET /api/export/sessions/:id': recordFile(SESSION),
  'GET /api/export/stops': ({ req }) => handleExportStops(req.raw),
  'GET /api/export/stops/:id': reportFile({ make: stopReport, bundle: stopBundle }),
  'POST /api/import/configs': ({ req }) => importConfigs(req.raw),
  'POST /api/import/sessions/:environment': ({ req }) =>
    importSessionEvents(req.raw, req.param('environment') ?? ''),
}
