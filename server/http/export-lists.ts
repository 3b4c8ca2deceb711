// GET /api/export/sessions, /stops, /decisions and /feedback, each ?format=csv|jsonl&filter=JSON: a list as a file, with the console's own filter.
import { z } from 'zod'
import { DenialFilterInput } from '@/server/explanations/decisions-router.ts'
import { denialList } from '@/server/explanations/denial-list.sql.ts'
import { stopList } from '@/server/explanations/stop-list.sql.ts'
import { StopFilterInput } from '@/server/explanations/stops-router.ts'
import { deliveryList } from '@/server/feedback/delivery-list.sql.ts'
import { DeliveryFilterInput } from '@/server/feedback/router.ts'
import { withAskedProject } from '@/server/platform/auth/asked-project.ts'
import { requirePermission } from '@/server/platform/auth/permissions.ts'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { requireProjectScope } from '@/server/platform/auth/session.ts'
import { ServiceError } from '@/server/platform/errors.ts'
import type { FilterOf, List } from '@/server/platform/list/define-list.ts'
import { EXPORT_PAGE, fileColumns, writeListFile } from '@/server/platform/list/list-file.ts'
import type { SqlList } from '@/server/platform/sql/sql-list.ts'
import { orderInput } from '@/server/platform/trpc/list-input.ts'
import { requireStorable } from '@/server/platform/unstorable.ts'
import { sessionList } from '@/server/sessions/session-filter.sql.ts'
import { SessionFilterInput } from '@/server/sessions/session-input.ts'
import { filterFor } from '@/server/sessions/session-lists.ts'
import { answer } from './problem.ts'
import { toStream } from './text-stream.ts'

/** `filter`: JSON of the filter that the list's procedure takes. */
function queryFor<L extends List, Filter extends z.ZodType>(list: L, filter: Filter) {
  return z.object({
    format: z.enum(['csv', 'jsonl']).default('jsonl'),
    order: orderInput(list),
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

/** `asked`: the list's filter as `read` takes it. */
function handle<L extends List, Asked>(
  request: Request,
  list: SqlList<L>,
  {
    input,
    read,
  }: {
    readonly input: z.ZodType<Asked>
    readonly read: (asked: Asked, scope: ProjectScope) => FilterOf<L>
  },
): Promise<Response> {
  return answer(async () => {
    const scope = await requireProjectScope(withAskedProject(request))
    requirePermission(scope.role, 'read')
    const query = queryFor(list.list, input)
    const asked = query.safeParse(Object.fromEntries(new URL(request.url).searchParams))
    if (!asked.success) {
      const [issue] = asked.error.issues
      throw new ServiceError('invalid', issue?.message ?? 'Not a filter.', issue?.path.join('.'))
    }
    requireStorable(asked.data)
    const { format, order, filter } = asked.data
    const day = new Date().toISOString().slice(0, 10)
    const wanted = { filter: read(filter, scope), order, limit: EXPORT_PAGE }
    const lines = writeListFile(format, {
      ...fileColumns(list.list),
      pageAfter: (cursor) => list.page(scope, { ...wanted, cursor }),
    })
    return new Response(toStream(lines), {
      headers: {
        'content-type': TYPE[format],
        'content-disposition': `attachment; filename="${list.list.name}-${day}.${format}"`,
        'cache-control': 'no-store',
      },
    })
  })
}

const asItIs = <Filter>(filter: Filter): Filter => filter

export const handleExportSessions = (request: Request): Promise<Response> =>
  handle(request, sessionList, {
    input: SessionFilterInput,
    read: (filter, scope) => filterFor(scope, filter),
  })

export const handleExportStops = (request: Request): Promise<Response> =>
  handle(request, stopList, { input: StopFilterInput, read: asItIs })

export const handleExportDenials = (request: Request): Promise<Response> =>
  handle(request, denialList, { input: DenialFilterInput, read: asItIs })

export const handleExportFeedback = (request: Request): Promise<Response> =>
  handle(request, deliveryList, { input: DeliveryFilterInput, read: asItIs })
