// Custom checkers: code outside core answers, and the answer is a fact of the attempt.
import type { CustomCheckerDocument } from '../config.ts'
import { answerOf } from '../fact.ts'
import { answered, unanswered } from './answered.ts'
import type { CheckContext, CheckOutcome, LeafChecker } from './checker.ts'

export function customChecker(document: CustomCheckerDocument, pointer: string): LeafChecker {
  const { id, type } = document
  return {
    kind: 'leaf',
    id,
    pointer,
    type,
    files: [],
    external: true,
    check: (context) => check(id, context),
  }
}

function check(id: string, { stop }: CheckContext): CheckOutcome {
  const answer = answerOf(stop.facts, id)
  return answer?.kind === 'check'
    ? answered('custom', answer)
    : unanswered('custom', `Checker '${id}' could not be evaluated.`)
}
