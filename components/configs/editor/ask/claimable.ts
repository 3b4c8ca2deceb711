import type { Claim } from '@signalbox/wire'

/** A claim compares with nothing outside of its config, and its answer is no number. */
export function isClaimable(question: { readonly ask: string }): question is Claim['question'] {
  return !['most_calls', 'advice', 'allows_more'].includes(question.ask)
}
