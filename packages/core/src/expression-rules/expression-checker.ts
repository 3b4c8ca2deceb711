import { VARIABLE_NAMES } from '../kinds/base/variable-names.ts'
import {
  type CheckOutcome,
  type LeafChecker,
  leafChecker,
  outcome,
  type RunContext,
} from '../kinds/checkers/checker.ts'
import type { ExpressionCheckerDocument } from '../kinds/checkers/expression.ts'
import type { Compilation } from '../kinds/compile-options.ts'
import { type JsonObject, pointerTo } from '../model/json.ts'
import type { Condition, ConditionMaker } from './compile-condition.ts'
import { callsValue, sessionValue } from './session-input.ts'

export function expressionChecker(
  document: ExpressionCheckerDocument,
  { pointer, compilation }: { readonly pointer: string; readonly compilation: Compilation },
  makeCondition: ConditionMaker,
): LeafChecker {
  const place = { pointer: pointerTo(pointer, 'require'), variables: VARIABLE_NAMES.stop }
  const condition = makeCondition(document.require, place, compilation)
  return leafChecker(document, pointer, {
    check: (context) => check(document, condition, context),
  })
}

function check(
  { id, require: expression, feedback }: ExpressionCheckerDocument,
  condition: Condition,
  { state, stop, left }: RunContext,
): CheckOutcome {
  const value = condition(
    { calls: callsValue(state), session: sessionValue(state), stop: stopValue(stop) },
    left,
  )
  const params = { expression }
  if (value === true) return outcome('passed', 'expression.holds', { params })
  if (value === false) {
    return outcome('incomplete', 'expression.does_not_hold', { params, feedback: feedback ?? null })
  }
  const failure = `Checker '${id}' could not be evaluated.`
  return outcome('error', 'expression.not_evaluated', { params, feedback: failure })
}

function stopValue({ via, output, last_message, stop_reason }: RunContext['stop']): JsonObject {
  return {
    via,
    ...(output === undefined ? {} : { output }),
    ...(last_message === undefined ? {} : { last_message }),
    ...(stop_reason === undefined ? {} : { stop_reason }),
  }
}
