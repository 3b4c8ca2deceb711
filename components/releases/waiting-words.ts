import { countText } from '@signalbox/core/analysis'
import type { WaitingApproval } from '@/server/releases/release-approvals.ts'

type Waiting = Pick<WaitingApproval, 'isCurrent' | 'mayDecide'>

/** The users for whom requests wait. Undefined: every text was edited after its request, so none can be approved. */
export function waitingText(waiting: readonly Waiting[]): string | undefined {
  const mine = waiting.filter(({ mayDecide }) => mayDecide).length
  if (mine > 0) return `${countText(mine)} ${mine === 1 ? 'waits' : 'wait'} for you`
  const others = waiting.filter(({ isCurrent }) => isCurrent).length
  if (others === 0) return undefined
  return `${countText(others)} ${others === 1 ? 'waits' : 'wait'} for another user`
}
