// Custom checkers: code outside core answers, and the answer is a fact of the attempt.
import type { CustomCheckerDocument } from '../config.ts'
import { answerOf } from '../fact.ts'
import { answered, unanswered } from './answered.ts'
import { type CheckContext, type CheckOutcome, isComplete, type LeafChecker } from './checker.ts'

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
    missing: (context) =>
      isComplete(check(id, context))
        ? []
        : [
            {
              checker: id,
              code: 'custom.satisfy',
              text: `Satisfy the check \`${id}\``,
              owner: 'agent',
              since: null,
            },
          ],
  }
}

function check(id: string, { stop }: CheckContext): CheckOutcome {
  const answer = answerOf(stop.facts, id)
  return answer?.kind === 'check'
    ? answered('custom', answer)
    : unanswered('custom', `Checker '${id}' could not be evaluated.`)
}
