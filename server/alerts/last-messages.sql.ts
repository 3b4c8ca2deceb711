import 'server-only'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { epochMs, readRows } from '@/server/platform/sql/rows.ts'
import type { ListedDelivery } from './alerts.list.ts'
import type { AlertDestination } from './alerts.sql.ts'

export interface LastMessage
  extends Pick<ListedDelivery, 'event' | 'attempts' | 'deliveredAt' | 'failedAt' | 'last'> {
  readonly at: number
}

const MOST_MESSAGES = 5_000

export async function loadLastMessages(
  projectId: AuthorizedProjectId,
): Promise<readonly (LastMessage & AlertDestination)[]> {
  return await readRows<LastMessage & AlertDestination>(
    `SELECT DISTINCT ON (d.kind, d.url) d.kind, d.url, d.event, d.attempts, d.last, ${epochMs('d.created_at')} AS at,
       ${epochMs('d.delivered_at')} AS "deliveredAt", ${epochMs('d.failed_at')} AS "failedAt"
     FROM (SELECT * FROM alert_deliveries WHERE project_id = $1 ORDER BY created_at DESC LIMIT ${MOST_MESSAGES}) d
     ORDER BY d.kind, d.url, d.created_at DESC`,
    [projectId],
  )
}
