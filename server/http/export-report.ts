// GET /api/export/stops/{id} and /api/export/decisions/{id}, ?format=json|md|bundle: the audit as a file. Signed-in people only.
import { z } from 'zod'
import { decisionReport } from '@/server/explanations/decision-report.ts'
import { decisionBundle, stopBundle } from '@/server/explanations/portable-bundle.ts'
import { stopReport } from '@/server/explanations/stop-report.ts'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/errors.ts'
import { scopeOfFile } from './file-scope.ts'
import { answer } from './problem.ts'
import { streamOf } from './text-stream.ts'

const ID = /^(?:stop|dec)_[A-Za-z0-9_]{1,60}$/

/** Media type and the end of the file's name, by format. */
const FORMATS = {
  json: { type: 'application/json; charset=utf-8', ending: 'json' },
  md: { type: 'text/markdown; charset=utf-8', ending: 'md' },
  bundle: { type: 'application/x-ndjson; charset=utf-8', ending: 'signalbox' },
} as const

type Format = keyof typeof FORMATS
type Ask = (
  scope: ProjectScope,
  id: string,
  now: number,
) => Promise<string | AsyncGenerator<string>>

/** As the address names it. */
export const ReportQuery = z.object({ format: z.enum(['json', 'md', 'bundle']).default('json') })

function formatOf(request: Request): Format {
  const query = ReportQuery.safeParse(Object.fromEntries(new URL(request.url).searchParams))
  if (query.success) return query.data.format
  throw new ServiceError('invalid', 'The format is json, md or bundle.', 'format')
}

function handle(
  request: Request,
  id: string,
  make: Readonly<Record<Format, Ask>>,
): Promise<Response> {
  return answer(async () => {
    // An address may hold any character, a database text may not.
    const isId = ID.test(id)
    const scope = await scopeOfFile(request, isId ? id : null)
    if (!isId) throw new ServiceError('not_found', 'There is no such record.')
    const format = formatOf(request)
    const { type, ending } = FORMATS[format]
    const made = await make[format](scope, id, Date.now())
    return new Response(typeof made === 'string' ? made : streamOf(made), {
      headers: {
        'content-type': type,
        'content-disposition': `attachment; filename="${id}.${ending}"`,
        'cache-control': 'no-store',
      },
    })
  })
}

const STOP = {
  json: async (...asked) => (await stopReport(...asked)).json,
  md: async (...asked) => (await stopReport(...asked)).md,
  bundle: stopBundle,
} as const satisfies Record<Format, Ask>

const DECISION = {
  json: async (...asked) => (await decisionReport(...asked)).json,
  md: async (...asked) => (await decisionReport(...asked)).md,
  bundle: decisionBundle,
} as const satisfies Record<Format, Ask>

export const handleExportStop = (request: Request, id: string): Promise<Response> =>
  handle(request, id, STOP)

export const handleExportDecision = (request: Request, id: string): Promise<Response> =>
  handle(request, id, DECISION)
