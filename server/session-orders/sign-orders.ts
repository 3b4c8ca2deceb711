// Signed when they are sent, so that the signature is always that of the active key.
import { type SignedSessionOrder, signSessionOrder } from '@signalbox/wire'
import { activePair } from '@/server/bundles/signing-seed.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import type { UnrecordedOrder } from '@/server/runtimes/heartbeats.sql.ts'

export async function signOrders(
  projectId: AuthorizedProjectId,
  orders: readonly UnrecordedOrder[],
): Promise<SignedSessionOrder[]> {
  const { seed } = await activePair(projectId)
  return orders.map(({ expiresAt, ...order }) =>
    signSessionOrder({ session_order_version: 1, ...order, expires_at: expiresAt }, seed),
  )
}
