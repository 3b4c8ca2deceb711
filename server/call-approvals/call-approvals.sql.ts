import 'server-only'
import type { Tx } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'

export interface CallQuestion {
  readonly id: string
  readonly projectId: AuthorizedProjectId
  readonly environment: string
}

export interface AskedCall {
  readonly callId: string
  readonly tool: string
  readonly waitsUntil: Date
  readonly askedAt: Date | null
  readonly decision: string | null
  readonly decidedName: string | null
  readonly decidedAt: Date | null
  readonly note: string | null
  readonly inputDigest: string | null
  readonly outcome: string | null
}

/** Null: the request for approval is not stored (yet). */
export async function findAskedCall(tx: Tx, where: CallQuestion): Promise<AskedCall | null> {
  return await tx.callApproval.findFirst({
    where,
    select: {
      callId: true,
      tool: true,
      waitsUntil: true,
      askedAt: true,
      decision: true,
      decidedName: true,
      decidedAt: true,
      note: true,
      inputDigest: true,
      outcome: true,
    },
  })
}

/**
 * Records that the runtime waits for that many more milliseconds. Does not change a decided or ended call.
 * `isFirst`: the runtime did not ask before, so half of its time is counted from now on.
 */
export async function recordAsked(
  tx: Tx,
  where: CallQuestion,
  { leftMs, isFirst }: { readonly leftMs: number; readonly isFirst: boolean },
): Promise<void> {
  const now = Date.now()
  await tx.callApproval.updateMany({
    where: { ...where, decision: null, outcome: null },
    data: {
      askedAt: new Date(now),
      waitsUntil: new Date(now + leftMs),
      ...(isFirst ? { halfOverAt: new Date(now + leftMs / 2) } : {}),
    },
  })
}

/** False: the call was already decided, or no longer waits. The first of two concurrent decisions wins. */
export async function decideCall(
  tx: Tx,
  where: Pick<CallQuestion, 'id' | 'projectId'>,
  decided: {
    readonly decision: 'approved' | 'denied'
    readonly userId: string
    readonly name: string
    readonly note: string | null
    readonly inputDigest: string
    readonly now: Date
  },
): Promise<boolean> {
  const { decision, userId: decidedBy, name: decidedName, note, inputDigest, now } = decided
  const { count } = await tx.callApproval.updateMany({
    where: { ...where, decision: null, outcome: null, waitsUntil: { gt: now } },
    data: { decision, decidedBy, decidedName, decidedAt: now, note, inputDigest },
  })
  return count === 1
}
