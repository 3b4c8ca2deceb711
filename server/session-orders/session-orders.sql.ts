import 'server-only'
import type { Tx } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { epochMs, readRows } from '@/server/platform/sql/rows.ts'

export interface ControlledSession {
  readonly environment: string
  readonly environmentId: string
  readonly isEnded: boolean
  /** Null: the session recorded none, or this server does not know it. */
  readonly runtime: {
    readonly id: string
    readonly takesOrders: boolean
    readonly lastSeenAt: number
    readonly stoppedAt: number | null
  } | null
  /** Newest first. */
  readonly orders: readonly StoredOrder[]
}

export interface StoredOrder {
  readonly counter: number
  readonly action: 'pause' | 'resume' | 'end'
  readonly by: string
  readonly reason: string
  readonly at: number
  readonly expiresAt: number
  /** Null: no event of it arrived. */
  readonly recordedAt: number | null
}

const RUNTIME = `CASE WHEN r.id IS NOT NULL THEN json_build_object('id', r.id, 'takesOrders', r.takes_orders,
  'lastSeenAt', ${epochMs('r.last_seen_at')}, 'stoppedAt', ${epochMs('r.stopped_at')}) END AS runtime`

/** The last two decide: a newer order replaces one that did not arrive. */
const MOST_READ = 20

const ORDERS = `coalesce((SELECT json_agg(json_build_object('counter', o.counter, 'action', o.action, 'by', o.ordered_name,
    'reason', o.reason, 'at', ${epochMs('o.ordered_at')}, 'expiresAt', ${epochMs('o.expires_at')},
    'recordedAt', ${epochMs('o.recorded_at')}) ORDER BY o.counter DESC)
  FROM (SELECT * FROM session_orders n WHERE n.session_id = s.id AND n.project_id = s.project_id
    ORDER BY n.counter DESC LIMIT ${MOST_READ}) o), '[]') AS orders`

/** Null: the project has no such session. */
export async function findControlledSession(
  projectId: AuthorizedProjectId,
  sessionId: string,
): Promise<ControlledSession | null> {
  const [row] = await readRows<ControlledSession>(
    `SELECT s.environment, e.id AS "environmentId", s.ended_at IS NOT NULL AS "isEnded", ${RUNTIME}, ${ORDERS}
     FROM sessions s
     JOIN environments e ON e.project_id = s.project_id AND e.name = s.environment
     LEFT JOIN runtimes r ON r.project_id = s.project_id AND r.id = s.runtime_id
     WHERE s.project_id = $1 AND s.id = $2`,
    [projectId, sessionId],
  )
  return row ?? null
}

export interface FreshOrder extends Pick<StoredOrder, 'counter' | 'action' | 'by' | 'reason'> {
  readonly sessionId: string
  readonly projectId: AuthorizedProjectId
  readonly environment: string
  readonly runtimeId: string
  readonly orderedBy: string
  readonly orderedAt: Date
  readonly expiresAt: Date
}

/** False: another order has this number. */
export async function insertOrder(tx: Tx, { by, ...order }: FreshOrder): Promise<boolean> {
  const { count } = await tx.sessionOrder.createMany({
    data: [{ ...order, orderedName: by }],
    skipDuplicates: true,
  })
  return count === 1
}
