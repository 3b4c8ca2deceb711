// llm_judge: a model was asked by the shell, and its answer is a fact of the attempt; a replay does not ask again.

import { answerOf } from '../../model/fact.ts'
import type { CheckerBase } from '../../model/rule.ts'
import { answered, unanswered } from './answered.ts'
import {
  type CheckContext,
  type CheckOutcome,
  type LeafChecker,
  leafChecker,
  outcome,
} from './checker.ts'

/** A model judges the work by `criteria`. */
export interface LlmJudgeCheckerDocument extends CheckerBase {
  readonly type: 'llm_judge'
  readonly criteria: string
  /** Absent: true. False: without a model there is nothing to check. */
  readonly require_adapter?: boolean
}

export function llmJudgeChecker(document: LlmJudgeCheckerDocument, pointer: string): LeafChecker {
  return leafChecker(document, pointer, {
    check: (context) => check(document, context),
    external: true,
  })
}

function check(document: LlmJudgeCheckerDocument, { stop }: CheckContext): CheckOutcome {
  const answer = answerOf(stop.facts, document.id)
  if (answer?.kind === 'check') return answered('judge', answer)
  if (answer?.kind !== 'unavailable') return unanswered('judge', 'LLM verification failed.')
  const code = 'judge.unavailable'
  if (document.require_adapter === false) return outcome('nothing_to_check', code, {})
  const feedback = 'LLM verification required but no adapter available.'
  return outcome('incomplete', code, { feedback })
}
