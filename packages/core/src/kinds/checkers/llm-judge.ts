// llm_judge: the shell asks a model, and the answer is a fact of the attempt, so a replay does not ask again.

import { findAnswer } from '../../model/fact.ts'
import type { CheckerBase } from '../../model/rule.ts'
import { byWhom, type RuleWords } from '../base/rule-words.ts'
import { answered } from './answered.ts'
import {
  type CheckContext,
  type CheckOutcome,
  type LeafChecker,
  leafChecker,
  outcome,
} from './checker.ts'
import { answerStep, type CheckerRule, type KeyedStep } from './checker-rule.ts'

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
    criteria: document.criteria,
  })
}

function check(document: LlmJudgeCheckerDocument, { stop }: CheckContext): CheckOutcome {
  const answer = findAnswer(stop.facts, document.id)
  if (answer?.kind !== 'unavailable') return answered('judge', answer, 'LLM verification failed.')
  const code = 'judge.unavailable'
  if (document.require_adapter === false) return outcome('nothing_to_check', code, {})
  const feedback = 'LLM verification required but no adapter available.'
  return outcome('incomplete', code, { feedback })
}

export const JUDGE_MODEL = 'judge model'

export const llmJudgeRule: CheckerRule<LlmJudgeCheckerDocument> = {
  toolsRequired: () => [],
  toolsWatched: () => [],
  errors: () => [],
  run: () => null,
  answer: () => 'depends',
  restsOn: 'model',
  // The judge's answers are recorded under its id.
  implies: (strict, lax) =>
    strict.id === lax.id &&
    strict.criteria === lax.criteria &&
    (strict.require_adapter !== false || lax.require_adapter === false),
  steps: (document, _result, context) => judgeSteps(document, context),
  stepWithModel: (document, context) =>
    lacksModel(document, context) ? { ...satisfyStep(document, context), obstacle: null } : null,
  unknownBefore: () => 'outlook.judge',
}

function lacksModel({ id }: LlmJudgeCheckerDocument, { stop }: CheckContext): boolean {
  return findAnswer(stop.facts, id)?.kind === 'unavailable'
}

function satisfyStep({ id, criteria }: LlmJudgeCheckerDocument, { stop }: CheckContext): KeyedStep {
  return answerStep(id, stop.facts, `Satisfy the judge: ${criteria}`)
}

function judgeSteps(
  document: LlmJudgeCheckerDocument,
  context: CheckContext,
): readonly KeyedStep[] {
  const satisfy = satisfyStep(document, context)
  if (!lacksModel(document, context)) return [satisfy]
  const configure: KeyedStep = {
    key: JUDGE_MODEL,
    code: 'judge.configure',
    text: 'Configure a model for the judge in the runtime',
    owner: 'operator',
    since: null,
    action: { kind: 'model' },
    obstacle: null,
  }
  return [configure, { ...satisfy, obstacle: null }]
}

export const llmJudgeWords: RuleWords<LlmJudgeCheckerDocument> = {
  describe: ({ criteria }) => `A model judges: ${criteria}`,
  sentences: {
    'judge.passed': (p) => `The judge reports that the task is complete${byWhom(p['by'])}`,
    'judge.incomplete': (p) => `The judge reports that the task is not complete${byWhom(p['by'])}`,
    'judge.not_answered': () => 'The judge gave no usable answer',
    'judge.unavailable': () => 'No model is available to judge it',
  },
}
