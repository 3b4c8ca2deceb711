// `@signalbox/core/expression`: CEL conditions for `expression` rules. Rules: specs/expressions.md. The only part of core with a
// dependency; pass its engine to compileConfig wherever configs are compiled.
import type { ExpressionEngine } from '../expression-engine.ts'
import { canBeBool } from './condition.ts'
import { placed } from './place.ts'
import { programMaker } from './program.ts'
import { readSource, refused } from './read-source.ts'

/**
 * An engine; making one costs a few milliseconds, so keep it. `compile` never throws. Programs are deterministic: no clock, no randomness,
 * no state between evaluations. `evaluate` gives any CEL value and throws only {@link ExpressionError}: a missing key or variable, types
 * that do not fit, a value that was taken out of the event, too much work.
 */
export function celExpressions(): ExpressionEngine {
  const makeProgram = programMaker()
  return {
    compile: (source, variables) => {
      const result = readSource(source, variables)
      if (!result.ok) return result
      if (!canBeBool(result.read.parsed.expr))
        return refused(placed(source, 0, 'the expression can never be true or false'))
      return { ok: true, program: makeProgram(result.read) }
    },
  }
}
