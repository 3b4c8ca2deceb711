// Asks for one answer at a time, in order of evaluation, so that no model is asked after an earlier check has decided.
import { type AnswerRequest, findAnswer } from '../../model/fact.ts'
import { type CheckContext, type Checker, isComplete } from './checker.ts'
import { runChecker } from './tree.ts'

/** null: no further answer is needed. */
export function nextQuestion(checker: Checker, context: CheckContext): AnswerRequest | null {
  if (checker.kind === 'leaf') {
    const open = checker.external && findAnswer(context.stop.facts, checker.id) === undefined
    return open ? { rule: checker.id, type: checker.type, kind: 'check' } : null
  }
  for (const child of checker.children) {
    const question = nextQuestion(child, context)
    if (question !== null) return question
    if (isComplete(runChecker(child, context, 'short_circuit')) !== checker.allMustPass) break
  }
  return null
}
