// Problems of CEL conditions: both or neither given, not parseable, or nothing here that evaluates them.
import type { CompileOptions } from '../compile-options.ts'
import { CHECKER_VARIABLES } from '../completion/expression.ts'
import type { ExpressionCheckerDocument, ExpressionPolicyDocument } from '../config.ts'
import { pointerTo } from '../json.ts'
import { conditionOf, POLICY_VARIABLES } from '../policies/expression.ts'
import type { Problem } from '../problem.ts'
import { error } from './placed.ts'

export function expressionPolicyErrors(
  policy: ExpressionPolicyDocument,
  pointer: string,
  options: CompileOptions,
): readonly Problem[] {
  const { deny_when, require } = policy
  if ((deny_when === undefined) === (require === undefined)) {
    const message = 'Give exactly one of "deny_when" and "require".'
    return [error(pointer, 'expression_condition', message)]
  }
  const field = deny_when === undefined ? 'require' : 'deny_when'
  const at = pointerTo(pointer, field)
  return conditionErrors(conditionOf(policy).source, { at, variables: POLICY_VARIABLES, options })
}

export function expressionCheckerErrors(
  checker: ExpressionCheckerDocument,
  pointer: string,
  options: CompileOptions,
): readonly Problem[] {
  const at = pointerTo(pointer, 'require')
  return conditionErrors(checker.require, { at, variables: CHECKER_VARIABLES, options })
}

function conditionErrors(
  source: string,
  place: {
    readonly at: string
    readonly variables: readonly string[]
    readonly options: CompileOptions
  },
): readonly Problem[] {
  const { expressions } = place.options
  if (expressions === undefined) {
    const message =
      'Nothing here can evaluate expressions. Compile with the engine of @signalbox/core/expression.'
    return [error(place.at, 'expression_engine_missing', message)]
  }
  const result = expressions.compile(source, place.variables)
  return result.ok ? [] : [error(place.at, 'expression_invalid', result.message)]
}
