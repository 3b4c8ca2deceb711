import { countText } from '@signalbox/core/analysis'
import type { RequestedRelease } from '@/server/releases/release-approvals.ts'

type Requested = Pick<RequestedRelease, 'state' | 'isCurrent' | 'isYourTurn'>

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
  const texts = parts.flatMap(([many, words]) =>
    many === 0 ? [] : [`${countText(many)} ${words}`],
  )
  return texts.length === 0 ? undefined : texts.join(' · ')
}
