// `@signalbox/core/expression`: CEL conditions for `expression` rules. Rules: specs/expressions.md. The only part of core with a
// dependency; pass its engine to compileConfig wherever configs are compiled.
import { type CelValue, celType } from '@bufbuild/cel'
import type { ExpressionEngine } from '../expression-engine.ts'
import { canBeBool } from './condition.ts'
import { ExpressionError } from './expression-error.ts'
import { placed } from './place.ts'
import { programMaker } from './program.ts'
import { readSource, refused } from './read-source.ts'

/**
 * An engine; making one costs a few milliseconds, so keep it. `compile` never throws. Programs are deterministic: no clock, no
 * randomness, nothing kept between evaluations. `evaluate` gives true or false and throws only an `ExpressionError`: a missing key
 * or variable, types that do not fit, a value that was taken out of the event, too much work, a result of another type.
 */
export function celExpressions(): ExpressionEngine {
  const makeProgram = programMaker()
  return {
    compile: (source, variables) => {
      const result = readSource(source, variables)
      if (!result.ok) return result
      if (!canBeBool(result.read.parsed.expr))
        return refused(placed(source, 0, 'the expression can never be true or false'))
      const { evaluate } = makeProgram(result.read)
      return { ok: true, program: { evaluate: (input) => decided(evaluate(input)) } }
    },
  }
}

function decided(result: CelValue): boolean {
  if (typeof result === 'boolean') return result
  throw new ExpressionError(`The expression gave ${celType(result).name}, not true or false.`)
}
