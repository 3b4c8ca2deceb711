// expression: a CEL condition on the call's arguments and the session. What cannot be evaluated denies.
import { type Compilation, refuse } from '../compilation.ts'
import { compileCondition } from '../condition.ts'
import type { ExpressionPolicyDocument } from '../config.ts'
import { callsValue, sessionValue } from '../expression-input.ts'
import { pointerTo } from '../json.ts'
import { allow, deny, type Finding, unevaluated } from './finding.ts'
import { type Policy, policyOf } from './policy.ts'

const POLICY_VARIABLES = ['tool', 'args', 'calls', 'session'] as const

/** The condition and whether it must hold; a document with both or neither is refused. */
export function conditionOf(document: ExpressionPolicyDocument): {
  readonly source: string
  readonly mustHold: boolean
} {
  const { deny_when, require = '' } = document
  return deny_when === undefined
    ? { source: require, mustHold: true }
    : { source: deny_when, mustHold: false }
}

export function expressionPolicy(
  document: ExpressionPolicyDocument,
  pointer: string,
  compilation: Compilation,
): Policy {
  if ((document.deny_when === undefined) === (document.require === undefined)) {
    const message = 'Give exactly one of "deny_when" and "require".'
    refuse(compilation, pointer, { code: 'expression_condition', message })
    return policyOf({ denies: 'every', check: () => unknown(document) })
  }
  const { source, mustHold } = conditionOf(document)
  const place = {
    pointer: pointerTo(pointer, mustHold ? 'require' : 'deny_when'),
    variables: POLICY_VARIABLES,
  }
  const condition = compileCondition(source, place, compilation)
  return policyOf({
    denies: document.tools ?? 'every',
    check: ({ tool, args }, state) => {
      const calls = callsValue(state)
      const value = condition({ tool, args, calls, session: sessionValue(state) })
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
