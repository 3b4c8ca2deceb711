// Kept apart from the other types, so that an agent without conditions does not load them.
import type { ExpressionRules } from '../kinds/compile-options.ts'
import type { ExpressionEngine } from '../model/expression-engine.ts'
import { conditionMaker } from './compile-condition.ts'
import { expressionChecker } from './expression-checker.ts'
import { callCondition, expressionPolicy } from './expression-policy.ts'
import { checkPattern } from './pattern.ts'

export function expressionRules(engine: ExpressionEngine): ExpressionRules {
  const makeCondition = conditionMaker(engine)
  return {
    pattern: checkPattern,
    policy: (document, pointer, compilation) =>
      expressionPolicy(document, { pointer, compilation }, makeCondition),
    condition: (source, pointer, compilation) =>
      callCondition(source, { pointer, compilation }, makeCondition),
    checker: (document, pointer, compilation) =>
      expressionChecker(document, { pointer, compilation }, makeCondition),
  }
}
