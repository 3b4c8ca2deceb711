// The list of delivered feedback as a file, with the filter that the page has.
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import {
  type Cells,
  EXPORT_PAGE,
  fileOfList,
  instant,
  type ListFormat,
} from '@/server/platform/list-file.ts'
import { placeOf } from '@/server/platform/sql/keyset.ts'
import { type DeliveryFacts, type DeliveryFilter, listDeliveries } from './delivery-list.sql.ts'

const HEAD = [
  ...['event', 'at', 'environment', 'prompt', 'session', 'seq', 'provider', 'name'],
  ...['severity', 'followed', 'says'],
] as const

function cellsOf(delivery: DeliveryFacts): Cells<(typeof HEAD)[number]> {
  const { id, at, environment, ns, key, sessionId, seq } = delivery
  const { provider, name, severity, followed, says } = delivery
  return {
    ...{ event: id, at: instant(at), environment, prompt: `${ns}/${key}`, session: sessionId, seq },
    ...{ provider, name, severity, followed, says },
  }
}

export function exportDeliveries(
  { projectId }: ProjectScope,
  filter: DeliveryFilter,
  format: ListFormat,
): AsyncGenerator<string> {
  return fileOfList(format, {
    head: HEAD,
    cellsOf,
    pageAfter: async (cursor) => {
      const page = { after: cursor === null ? null : placeOf(cursor), limit: EXPORT_PAGE }
      const { deliveries, nextCursor } = await listDeliveries(projectId, filter, page)
      return { rows: deliveries, next: nextCursor }
    },
  })
}
