// A condition that cannot be evaluated denies.

import { refuse } from '../kinds/compilation.ts'
import type { Compilation } from '../kinds/compile-options.ts'
import { isNonObject } from '../kinds/policies/call.ts'
import { type ExpressionPolicyDocument, readCondition } from '../kinds/policies/expression.ts'
import { allow, deny, type Finding, unevaluated } from '../kinds/policies/finding.ts'
import { createPolicy, type Policy } from '../kinds/policies/policy.ts'
import { pointerTo } from '../model/json.ts'
import type { ConditionMaker } from './compile-condition.ts'
import { callsValue, sessionValue } from './session-input.ts'

const POLICY_VARIABLES = ['tool', 'args', 'calls', 'session'] as const

export function expressionPolicy(
  document: ExpressionPolicyDocument,
  { pointer, compilation }: { readonly pointer: string; readonly compilation: Compilation },
  makeCondition: ConditionMaker,
): Policy {
  if ((document.deny_when === undefined) === (document.require === undefined)) {
    refuse(compilation, pointer, { code: 'expression_condition' })
    return createPolicy({ denies: 'every', check: () => unknown(document) })
  }
  const { source, mustHold } = readCondition(document)
  const place = {
    pointer: pointerTo(pointer, mustHold ? 'require' : 'deny_when'),
    variables: POLICY_VARIABLES,
  }
  const condition = makeCondition(source, place, compilation)
  // Also true if only a string literal contains `args`: the rule then keeps its result from the request.
  const needsArguments = /\bargs\b/.test(source)
  return createPolicy({
    denies: document.tools ?? 'every',
    needsCall: needsArguments,
    check: ({ tool, args }, state, left) => {
      const given = needsArguments && isNonObject(args, state) ? {} : { args }
      const calls = callsValue(state)
      const value = condition({ tool, ...given, calls, session: sessionValue(state) }, left)
      if (typeof value !== 'boolean') return unknown(document)
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
