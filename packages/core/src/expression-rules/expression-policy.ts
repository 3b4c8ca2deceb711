// A condition that cannot be evaluated denies.

import { VARIABLE_NAMES } from '../kinds/base/variable-names.ts'
import { refuse } from '../kinds/compilation.ts'
import type { Compilation } from '../kinds/compile-options.ts'
import { isNonObject } from '../kinds/policies/call.ts'
import {
  conditionPointer,
  type ExpressionPolicyDocument,
  readCondition,
} from '../kinds/policies/expression.ts'
import { allow, deny, type Finding, unevaluated } from '../kinds/policies/finding.ts'
import { type CallCondition, createPolicy, type Policy } from '../kinds/policies/policy.ts'
import type { ConditionMaker } from './compile-condition.ts'
import { callsValue, sessionValue } from './session-input.ts'

interface Place {
  readonly pointer: string
  readonly compilation: Compilation
}

/** Compiles a condition on a call. */
export function callCondition(
  source: string,
  { pointer, compilation }: Place,
  makeCondition: ConditionMaker,
): CallCondition {
  const condition = makeCondition(source, { pointer, variables: VARIABLE_NAMES.call }, compilation)
  // Also true if only a string literal contains `args`: the rule then keeps its result from the request.
  const needsArguments = /\bargs\b/.test(source)
  return {
    needsArguments,
    test: ({ tool, args }, state, left) => {
      const given = needsArguments && isNonObject(args, state) ? {} : { args }
      const calls = callsValue(state)
      const value = condition({ tool, ...given, calls, session: sessionValue(state) }, left)
      return typeof value === 'boolean' ? value : null
    },
  }
}

export function expressionPolicy(
  document: ExpressionPolicyDocument,
  { pointer, compilation }: Place,
  makeCondition: ConditionMaker,
): Policy {
  if ((document.deny_when === undefined) === (document.require === undefined)) {
    refuse(compilation, pointer, { code: 'expression_condition' })
    return createPolicy({ denies: 'every', check: () => unknown(document) })
  }
  const { source, mustHold } = readCondition(document)
  const place = { pointer: conditionPointer(document, pointer), compilation }
  const { test, needsArguments } = callCondition(source, place, makeCondition)
  return createPolicy({
    denies: document.tools ?? 'every',
    needsCall: needsArguments,
    check: (call, state, left) => {
      const value = test(call, state, left)
      if (value === null) return unknown(document)
      const params = { expression: source }
      return value === mustHold
        ? allow('expression.allows', params)
        : deny('expression.denies', params, { reason: document.reason ?? '' })
    },
  })
}

function unknown({ id }: ExpressionPolicyDocument): Finding {
  return unevaluated(id, 'expression.not_evaluated')
}
