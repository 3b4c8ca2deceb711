import { countText } from '@signalbox/core/analysis'
import type { RequestedRelease } from '@/server/releases/release-approvals.ts'

type Requested = Pick<RequestedRelease, 'state' | 'isCurrent' | 'isYourTurn'>

export type Counted = readonly [count: number, words: string]

/** `2 refused`, `1 approved`; without counts of 0. */
export function listCounts(counts: readonly Counted[]): readonly string[] {
  return counts.flatMap(([count, words]) => (count === 0 ? [] : [`${countText(count)} ${words}`]))
}

/** True: it was approved, and no plan will release it. */
export function isReadyToRelease({
  state,
  isCurrent,
  plan,
}: Pick<RequestedRelease, 'state' | 'isCurrent' | 'plan'>): boolean {
  return state === 'approved' && isCurrent && plan?.state !== 'pending'
}

/** Undefined: every text was edited after its request, so none can be approved or released. */
export function requestsText(requests: readonly Requested[]): string | undefined {
  const count = (state: Requested['state']) =>
    requests.filter((request) => request.state === state && request.isCurrent).length
  const mine = requests.filter(({ state, isYourTurn }) => state === 'waiting' && isYourTurn).length
  const others = mine > 0 ? 0 : count('waiting')
  const parts = [
    [mine, `${mine === 1 ? 'waits' : 'wait'} for you`],
    [others, `${others === 1 ? 'waits' : 'wait'} for another user`],
    [count('approved'), 'approved'],
    [count('refused'), 'refused'],
  ] as const
  const texts = listCounts(parts)
  return texts.length === 0 ? undefined : texts.join(' · ')
}
