import type { Claim } from '@signalbox/wire'

/** A claim compares with nothing outside of its config, and its answer is no number. */
export function isClaimable(question: { readonly ask: string }): question is Claim['question'] {
  return !['most_calls', 'advice', 'allows_more'].includes(question.ask)
}

/** The answer shows a call that ran or a stop that passed. */
export function isPreventable(question: { readonly ask: string }): question is Claim['question'] {
  return ['run_without', 'run_where', 'stop_without'].includes(question.ask)
}
