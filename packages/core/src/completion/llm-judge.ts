// llm_judge: a model was asked by the shell, and its answer is a fact of the attempt; a replay does not ask again.
import type { LlmJudgeCheckerDocument } from '../config.ts'
import { answerOf } from '../fact.ts'
import { answered, unanswered } from './answered.ts'
import type { CheckContext, CheckOutcome, LeafChecker } from './checker.ts'

export function llmJudgeChecker(document: LlmJudgeCheckerDocument, pointer: string): LeafChecker {
  return {
    kind: 'leaf',
    id: document.id,
    pointer,
    type: 'llm_judge',
    files: [],
    external: true,
    check: (context) => check(document, context),
  }
}

function check(document: LlmJudgeCheckerDocument, { stop }: CheckContext): CheckOutcome {
  const answer = answerOf(stop.facts, document.id)
  if (answer?.kind === 'check') return answered('judge', answer)
  if (answer?.kind !== 'unavailable') return unanswered('judge', 'LLM verification failed.')
  const head = { code: 'judge.unavailable', params: {}, because: [] }
  return (document.require_adapter ?? true)
    ? {
        ...head,
        status: 'incomplete',
        feedback: 'LLM verification required but no adapter available.',
      }
    : { ...head, status: 'nothing_to_check', feedback: null }
}
