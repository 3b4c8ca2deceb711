// GET /api/export/sessions, /stops, /decisions and /feedback, each ?format=csv|jsonl&filter=JSON: a list as a file, with the console's own filter.
import { z } from 'zod'
import { DenialFilterInput } from '@/server/explanations/decisions-router.ts'
import { exportDenials, exportStops } from '@/server/explanations/refusal-files.ts'
import { StopFilterInput } from '@/server/explanations/stops-router.ts'
import { exportDeliveries } from '@/server/feedback/feedback-file.ts'
import { DeliveryFilterInput } from '@/server/feedback/router.ts'
import { withAskedProject } from '@/server/platform/auth/asked-project.ts'
import { requirePermission } from '@/server/platform/auth/permissions.ts'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { requireProjectScope } from '@/server/platform/auth/session.ts'
import { ServiceError } from '@/server/platform/errors.ts'
import type { ListFormat } from '@/server/platform/list-file.ts'
import { requireStorable } from '@/server/platform/unstorable.ts'
import { SessionFilterInput, SessionOrderInput } from '@/server/sessions/session-input.ts'
import { exportSessions } from '@/server/sessions/session-lists.ts'
import { answer } from './problem.ts'
import { streamOf } from './text-stream.ts'

/** `filter`: JSON of the filter that the list's procedure takes. */
function queryWith<Filter extends z.ZodType>(filter: Filter) {
  return z.object({
    format: z.enum(['csv', 'jsonl']).default('jsonl'),
    filter: z
      .string()
      .max(2_000)
      .default('{}')
      .transform((text, context): unknown => {
        try {
          return JSON.parse(text)
        } catch {
          context.addIssue('The filter is not JSON.')
          return z.NEVER
        }
      })
      .pipe(filter),
  })
}

const TYPE = { csv: 'text/csv; charset=utf-8', jsonl: 'application/x-ndjson; charset=utf-8' }

interface List<Query extends { readonly format: ListFormat }> {
  /** Of the file, before the day. */
  readonly name: string
  readonly query: z.ZodType<Query>
  readonly lines: (scope: ProjectScope, query: Query) => AsyncGenerator<string>
}

function handle<Query extends { readonly format: ListFormat }>(
  request: Request,
  { name, query, lines }: List<Query>,
): Promise<Response> {
  return answer(async () => {
    const scope = await requireProjectScope(withAskedProject(request))
    requirePermission(scope.role, 'read')
    const asked = query.safeParse(Object.fromEntries(new URL(request.url).searchParams))
    if (!asked.success) {
      const [issue] = asked.error.issues
      throw new ServiceError('invalid', issue?.message ?? 'Not a filter.', issue?.path.join('.'))
    }
    requireStorable(asked.data)
    const { format } = asked.data
    const day = new Date().toISOString().slice(0, 10)
    return new Response(streamOf(lines(scope, asked.data)), {
      headers: {
        'content-type': TYPE[format],
        'content-disposition': `attachment; filename="${name}-${day}.${format}"`,
        'cache-control': 'no-store',
      },
    })
  })
}

const SessionsQuery = queryWith(SessionFilterInput).extend({ order: SessionOrderInput })

export const handleExportSessions = (request: Request): Promise<Response> =>
  handle(request, {
    ...{ name: 'sessions', query: SessionsQuery },
    lines: (scope, { format, ...wanted }) => exportSessions(scope, wanted, format),
  })

export const handleExportStops = (request: Request): Promise<Response> =>
  handle(request, {
    ...{ name: 'stops', query: queryWith(StopFilterInput) },
    lines: (scope, { format, filter }) => exportStops(scope, filter, format),
  })

export const handleExportDenials = (request: Request): Promise<Response> =>
  handle(request, {
    ...{ name: 'decisions', query: queryWith(DenialFilterInput) },
    lines: (scope, { format, filter }) => exportDenials(scope, filter, format),
  })

export const handleExportFeedback = (request: Request): Promise<Response> =>
  handle(request, {
    ...{ name: 'feedback', query: queryWith(DeliveryFilterInput) },
    lines: (scope, { format, filter }) => exportDeliveries(scope, filter, format),
  })
