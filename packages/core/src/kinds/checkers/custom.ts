import { findAnswer } from '../../model/fact.ts'
import type { JsonObject } from '../../model/json.ts'
import type { CheckerBase } from '../../model/rule.ts'
import type { RuleWords } from '../base/rule-words.ts'
import { answered } from './answered.ts'
import { type CheckContext, type CheckOutcome, type LeafChecker, leafChecker } from './checker.ts'
import { answerStep, type CheckerRule } from './checker-rule.ts'

export interface CustomCheckerDocument extends CheckerBase {
  readonly type: string
  /** True: a runtime without the code leaves the checker out. Absent or false: it refuses the version. */
  readonly optional?: boolean
  readonly params?: JsonObject
}

export function customChecker(document: CustomCheckerDocument, pointer: string): LeafChecker {
  return leafChecker(document, pointer, {
    check: (context) => check(document.id, context),
    external: true,
  })
}

function check(id: string, { stop }: CheckContext): CheckOutcome {
  const unanswered = `Checker '${id}' could not be evaluated.`
  return answered('custom', findAnswer(stop.facts, id), unanswered)
}

export const customCheckerRule: CheckerRule<CustomCheckerDocument> = {
  toolsRequired: () => [],
  toolsWatched: () => [],
  errors: () => [],
  run: () => null,
  stepWithModel: () => null,
  answer: () => 'depends',
  restsOn: 'code',
  // The code may change in the meantime. Callers handle identical documents first.
  implies: () => false,
  steps: ({ id }, _result, { stop }) => [answerStep(id, stop.facts, `Satisfy the check \`${id}\``)],
  unknownBefore: () => 'outlook.custom',
}

export const customCheckerWords: RuleWords<CustomCheckerDocument> = {
  describe: ({ type }) => `Custom type \`${type}\` reports that the task is complete`,
  sentences: {
    'custom.passed': () => 'The custom check passed',
    'custom.incomplete': () => 'The custom check is not complete',
    'custom.not_answered': () => 'The custom check gave no answer',
  },
}
