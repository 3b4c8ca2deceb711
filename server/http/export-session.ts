// GET /api/export/sessions/{id}?format=jsonl|csv|annotations|md: the session's events as the NDJSON that runtimes send, as a table, what
// people wrote beside them, or the report in words. Signed-in people only.
import { z } from 'zod'
import { sessionMarkdown } from '@/server/explanations/session-report-text.ts'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/errors.ts'
import {
  exportAnnotations,
  exportSession,
  exportSessionTable,
} from '@/server/sessions/export-session.ts'
import { scopeOfFile } from './file-scope.ts'
import { answer } from './problem.ts'
import { streamOf } from './text-stream.ts'

const SESSION_ID = /^[A-Za-z0-9_]{1,80}$/

/** As the address names it. */
export const SessionFileQuery = z.object({
  format: z.enum(['jsonl', 'csv', 'annotations', 'md']).default('jsonl'),
})

type Format = z.infer<typeof SessionFileQuery>['format']

interface SessionFile {
  readonly type: string
  /** Behind the session's id. */
  readonly ending: string
  readonly make: (
    scope: ProjectScope,
    sessionId: string,
  ) => Promise<string | AsyncGenerator<string>>
}

const NDJSON = 'application/x-ndjson; charset=utf-8'

const FILES = {
  jsonl: { type: NDJSON, ending: '.jsonl', make: exportSession },
  csv: { type: 'text/csv; charset=utf-8', ending: '.csv', make: exportSessionTable },
  annotations: { type: NDJSON, ending: '-annotations.jsonl', make: exportAnnotations },
  md: {
    ...{ type: 'text/markdown; charset=utf-8', ending: '.md' },
    make: (scope, sessionId) => sessionMarkdown(scope, sessionId, Date.now()),
  },
} as const satisfies Record<Format, SessionFile>

export function handleExportSession(request: Request, sessionId: string): Promise<Response> {
  return answer(async () => {
    // An address may hold any character, a database text may not.
    const isId = SESSION_ID.test(sessionId)
    const scope = await scopeOfFile(request, isId ? sessionId : null)
    if (!isId) throw new ServiceError('not_found', 'There is no such session.')
    const query = SessionFileQuery.safeParse(Object.fromEntries(new URL(request.url).searchParams))
    if (!query.success) {
      throw new ServiceError('invalid', 'The format is jsonl, csv, annotations or md.', 'format')
    }
    const { type, ending, make } = FILES[query.data.format]
    const made = await make(scope, sessionId)
    // An unknown id was refused above, so the name holds only what session ids hold.
    return new Response(typeof made === 'string' ? made : streamOf(made), {
      headers: {
        'content-type': type,
        'content-disposition': `attachment; filename="${sessionId}${ending}"`,
        'cache-control': 'no-store',
      },
    })
  })
}
