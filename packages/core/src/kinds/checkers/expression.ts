// The engine that evaluates the condition is in `expression/`.

import type { CheckerBase } from '../../model/rule.ts'
import type { RuleWords } from '../base/rule-words.ts'
import { evaluateConstant } from '../policies/expression.ts'
import { type CheckerRule, mendStep } from './checker-rule.ts'

export interface ExpressionCheckerDocument extends CheckerBase {
  readonly type: 'expression'
  readonly require: string
  /** Message to the agent when the condition is false. Absent: `Tasks are incomplete.` */
  readonly feedback?: string
}

export const expressionCheckerRule: CheckerRule<ExpressionCheckerDocument> = {
  toolsRequired: () => [],
  toolsWatched: () => [],
  errors: () => [],
  run: () => null,
  stepWithModel: () => null,
  restsOn: null,
  answer: ({ require }) => {
    const constant = evaluateConstant(require)
    return constant === null ? 'depends' : constant ? 'always' : 'never'
  },
  implies: (strict, lax) => strict.require === lax.require,
  steps: ({ id, require, feedback }, result) =>
    result.status === 'error'
      ? [{ ...mendStep(id, result), owner: 'config' }]
      : [
          {
            key: `expression ${require}`,
            code: 'expression.satisfy',
            text:
              feedback === undefined
                ? `Make \`${require}\` true`
                : `Follow “${feedback}” until \`${require}\` is true`,
            owner: 'agent',
            since: null,
            action: { kind: 'other' },
            obstacle: null,
          },
        ],
  // Also matches `stop` inside a string literal, which is safe: the check then counts as unknown.
  unknownBefore: ({ require }) => (/\bstop\b/.test(require) ? 'outlook.attempt' : null),
}

export const expressionCheckerWords: RuleWords<ExpressionCheckerDocument> = {
  describe: ({ require }) => `\`${require}\` is true`,
  sentences: {
    'expression.holds': () => 'The condition is met',
    'expression.does_not_hold': () => 'The condition is not met',
    'expression.not_evaluated': () => 'The condition could not be evaluated',
  },
}
