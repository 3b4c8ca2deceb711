// The only part of core with a dependency; pass the result of `celExpressions` to `compileConfig` wherever configs are compiled.
import { type CelValue, celType } from '@bufbuild/cel'
import { expressionRules } from '../expression-rules/index.ts'
import type { ExpressionRules } from '../kinds/compile-options.ts'
import type { ExpressionEngine } from '../model/expression-engine.ts'
import { ExpressionError } from './expression-error.ts'
import { checkPattern } from './pattern.ts'
import { placed } from './place.ts'
import { programMaker } from './program.ts'
import { readSource, refused } from './read-source.ts'
import type { Expr } from './syntax-tree.ts'

export { expressionRules }

/**
 * Creates an engine and its rules, for `CompileOptions.expressions`; keep it, because this takes a few milliseconds. `compile` never
 * throws. Programs are deterministic: no clock, no randomness, no memory. `evaluate` returns true or false, and throws only an
 * `ExpressionError`: a missing key or variable, types that do not fit, a value removed from the event, too much work, or a result of
 * another type.
 */
export function celExpressions(): ExpressionEngine & ExpressionRules {
  const makeProgram = programMaker()
  const engine: ExpressionEngine = {
    checkPattern,
    compile: (source, variables) => {
      const result = readSource(source, variables)
      if (!result.ok) return result
      if (!canBeBool(result.read.parsed.expr))
        return refused(placed(source, 0, 'the expression can never be true or false'))
      const { evaluate } = makeProgram(result.read)
      return { ok: true, program: { evaluate: (input, left) => decided(evaluate(input, left)) } }
    },
  }
  return { ...engine, ...expressionRules(engine) }
}

function decided(result: CelValue): boolean {
  if (typeof result === 'boolean') return result
  throw new ExpressionError(`The expression gave ${celType(result).name}, not true or false.`)
}

const NEVER_BOOL = new Set(
  '_+_ _-_ _*_ _/_ _%_ -_ size int uint double string bytes type'.split(' '),
)

/** False only if no evaluation can give a bool. Cases that depend on a value's type are left to the evaluation. */
function canBeBool({ exprKind }: Expr): boolean {
  switch (exprKind.case) {
    case 'constExpr':
      return exprKind.value.constantKind.case === 'boolValue'
    case 'listExpr':
    case 'structExpr':
      return false
    case 'comprehensionExpr':
      return (
        exprKind.value.accuInit === undefined ||
        exprKind.value.accuInit.exprKind.case === 'constExpr'
      )
    case 'callExpr': {
      const { function: name, args } = exprKind.value
      return name === '_?_:_' ? args.slice(1).some(canBeBool) : !NEVER_BOOL.has(name)
    }
    default:
      return true
  }
}
