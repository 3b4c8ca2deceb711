import type { RuleAnswer } from '../../model/fact.ts'
import { omitUndefined } from '../../model/json.ts'
import { type CheckOutcome, outcome } from './checker.ts'

/** Without a usable answer, the check is not complete, for the reason `unanswered`. */
export function answered(
  prefix: string,
  answer: RuleAnswer | undefined,
  unanswered: string,
): CheckOutcome {
  if (answer?.kind !== 'check') {
    return outcome('error', `${prefix}.not_answered`, { feedback: unanswered })
  }
  const { complete, feedback = null, by } = answer
  const status = complete ? 'passed' : 'incomplete'
  return outcome(status, `${prefix}.${status}`, { params: omitUndefined({ by }), feedback })
}
