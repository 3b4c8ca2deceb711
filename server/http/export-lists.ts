// GET /api/export/{list}?format=csv|jsonl&filter=JSON: a list as a file. Read from a standby where there is one.
import { z } from 'zod'
import { type SealedAuditEntry, sealedAuditLogList } from '@/server/audit-log/audit-log.sql.ts'
import { AuditFilterInput } from '@/server/audit-log/router.ts'
import { DenialFilterInput } from '@/server/explanations/decisions-router.ts'
import { denialList } from '@/server/explanations/denial-list.sql.ts'
import { stopList } from '@/server/explanations/stop-list.sql.ts'
import { StopFilterInput } from '@/server/explanations/stops-router.ts'
import { deliveryList } from '@/server/feedback/delivery-list.sql.ts'
import { DeliveryFilterInput } from '@/server/feedback/router.ts'
import { withRequestedProject } from '@/server/platform/auth/asked-project.ts'
import { type Permission, requirePermission } from '@/server/platform/auth/permissions.ts'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { requireProjectScope } from '@/server/platform/auth/session.ts'
import type { FilterOf, List, OrderName, RowOf } from '@/server/platform/list/define-list.ts'
import {
  EXPORT_PAGE,
  fileColumns,
  type ListFormat,
  writeListFile,
} from '@/server/platform/list/list-file.ts'
import type { SqlList } from '@/server/platform/sql/sql-list.ts'
import { orderInput } from '@/server/platform/trpc/list-input.ts'
import { sessionList } from '@/server/sessions/session-filter.sql.ts'
import { SessionFilterInput } from '@/server/sessions/session-input.ts'
import { filterFor } from '@/server/sessions/session-lists.ts'
import { answer } from './problem.ts'
import { readQuery } from './read-query.ts'
import { fileResponse } from './text-stream.ts'

/** `filter`: JSON of the filter of the list's procedure. */
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

const TYPE = { csv: 'text/csv', jsonl: 'application/x-ndjson' }

interface ListQuery<L extends List> {
  readonly format: ListFormat
  readonly order: OrderName<L>
}

interface ListExport<L extends List, Query> {
  readonly query: z.ZodType<Query>
  readonly read: (query: Query, scope: ProjectScope) => FilterOf<L>
  readonly needs?: Permission
  readonly jsonLine?: (row: RowOf<L>) => string
}

function handle<L extends List, Query extends ListQuery<L>>(
  request: Request,
  { list, page }: SqlList<L>,
  { query, read, needs = 'read', jsonLine }: ListExport<L, Query>,
): Promise<Response> {
  return answer(async () => {
    const scope = await requireProjectScope(withRequestedProject(request))
    requirePermission(scope.role, needs)
    const asked = readQuery(query, request)
    const { format, order } = asked
    const day = new Date().toISOString().slice(0, 10)
    const wanted = {
      filter: read(asked, scope),
      order,
      limit: EXPORT_PAGE,
      mayBeOlder: true,
    }
    return fileResponse({
      name: `${list.name}-${day}.${format}`,
      type: TYPE[format],
      content: writeListFile(format, {
        ...fileColumns(list),
        ...(jsonLine === undefined ? {} : { jsonLine }),
        pageAfter: (cursor) => page(scope, { ...wanted, cursor }),
      }),
    })
  })
}

export const handleExportSessions = (request: Request): Promise<Response> =>
  handle(request, sessionList, {
    query: queryFor(sessionList.list, SessionFilterInput),
    read: ({ filter }, scope) => filterFor(scope, filter),
  })

export const handleExportStops = (request: Request): Promise<Response> =>
  handle(request, stopList, {
    query: queryFor(stopList.list, StopFilterInput),
    read: ({ filter }) => filter,
  })

export const handleExportDenials = (request: Request): Promise<Response> =>
  handle(request, denialList, {
    query: queryFor(denialList.list, DenialFilterInput),
    read: ({ filter }) => filter,
  })

export const handleExportFeedback = (request: Request): Promise<Response> =>
  handle(request, deliveryList, {
    query: queryFor(deliveryList.list, DeliveryFilterInput),
    read: ({ filter }) => filter,
  })

/** Epoch ms, at most what a Date holds. */
const Instant = z.coerce.number().int().min(0).max(8_640_000_000_000_000)

export const AuditExportQuery = queryFor(sealedAuditLogList.list, AuditFilterInput).extend({
  ...AuditFilterInput.pick({ actor: true, action: true, target: true }).shape,
  since: Instant.optional(),
  until: Instant.optional(),
})

/** The line contains the hashed text unchanged, so that any SHA-256 program can verify it. */
const formatSealedLine = ({ hash, text }: SealedAuditEntry): string =>
  `{"hash": ${JSON.stringify(hash)}, "entry": ${text}}`

export const handleExportAuditLog = (request: Request): Promise<Response> =>
  handle(request, sealedAuditLogList, {
    query: AuditExportQuery,
    read: ({ filter, format: _format, order: _order, ...parts }) => ({ ...filter, ...parts }),
    needs: 'member.manage',
    jsonLine: formatSealedLine,
  })
