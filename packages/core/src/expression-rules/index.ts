// Entry point of its own without a dependency: a console takes the answers of conditions from its server. Kept apart from the other types,
// so that an agent without conditions does not load them.
import { refuse } from '../kinds/compilation.ts'
import type { ExpressionRules } from '../kinds/compile-options.ts'
import type { ExpressionEngine } from '../model/expression-engine.ts'
import { conditionMaker } from './compile-condition.ts'
import { expressionChecker } from './expression-checker.ts'
import { callCondition, expressionPolicy } from './expression-policy.ts'

export function expressionRules(engine: ExpressionEngine): ExpressionRules {
  const makeCondition = conditionMaker(engine)
  return {
    pattern: (source, pointer, compilation) => {
      const message = engine.checkPattern(source)
      if (message !== null) refuse(compilation, pointer, { code: 'expression_invalid', message })
    },
    policy: (document, pointer, compilation) =>
      expressionPolicy(document, { pointer, compilation }, makeCondition),
    condition: (source, pointer, compilation) =>
      callCondition(source, { pointer, compilation }, makeCondition),
    checker: (document, pointer, compilation) =>
      expressionChecker(document, { pointer, compilation }, makeCondition),
  }
}
