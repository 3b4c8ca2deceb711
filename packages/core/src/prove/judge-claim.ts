import type { Answer } from './question.ts'

/** `unknown` is never a pass. */
export type ClaimState = 'holds' | 'broken' | 'unknown'

/** Compares the answer with the one that the claim expects. */
export function judgeClaim(expect: 'never' | 'possible', { answer }: Answer): ClaimState {
  if (answer === 'unknown') return 'unknown'
  return (answer === 'never' ? 'never' : 'possible') === expect ? 'holds' : 'broken'
}
