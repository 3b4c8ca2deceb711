import type { RuleAnswer } from '../../model/fact.ts'
import { type CheckOutcome, outcome } from './checker.ts'

type CheckAnswer = Extract<RuleAnswer, { readonly kind: 'check' }>

export function answered(prefix: string, { complete, feedback, by }: CheckAnswer): CheckOutcome {
  const status = complete ? 'passed' : 'incomplete'
  const params = by === undefined ? {} : { by }
  return outcome(status, `${prefix}.${status}`, { params, feedback: feedback ?? null })
}

/** There was no usable answer, so the check is never complete. */
export function unanswered(prefix: string, feedback: string): CheckOutcome {
  return outcome('error', `${prefix}.not_answered`, { feedback })
}
