// Custom checkers: code outside core answers, and the answer is a fact of the attempt.
import type { CustomCheckerDocument } from '../../model/config.ts'
import { answerOf } from '../../model/fact.ts'
import { answered, unanswered } from './answered.ts'
import { type CheckContext, type CheckOutcome, type LeafChecker, leafChecker } from './checker.ts'

export function customChecker(document: CustomCheckerDocument, pointer: string): LeafChecker {
  return leafChecker(document, pointer, {
    check: (context) => check(document.id, context),
    external: true,
  })
}

function check(id: string, { stop }: CheckContext): CheckOutcome {
  const answer = answerOf(stop.facts, id)
  return answer?.kind === 'check'
    ? answered('custom', answer)
    : unanswered('custom', `Checker '${id}' could not be evaluated.`)
}
