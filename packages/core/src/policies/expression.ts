// expression: a CEL condition on the call's arguments and the session. What cannot be evaluated denies.
import type { ExpressionPolicyDocument } from '../config.ts'
import type { ExpressionEngine, ExpressionProgram } from '../expression-engine.ts'
import { callsValue, sessionValue } from '../expression-input.ts'
import type { SessionState } from '../state.ts'
import { type Call, type Finding, type Policy, plainPolicy, unevaluated } from './policy.ts'

export const POLICY_VARIABLES = ['tool', 'args', 'calls', 'session'] as const

/** The condition and whether it must hold; lint refuses a document with both or neither. */
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
  engine: ExpressionEngine | undefined,
): Policy {
  const { source, mustHold } = conditionOf(document)
  const compiled = engine?.compile(source, POLICY_VARIABLES)
  const program = compiled?.ok === true ? compiled.program : null
  return plainPolicy({
    denies: document.tools ?? 'every',
    check: (call, state) => {
      const value = program === null ? null : evaluated(program, call, state)
      if (typeof value !== 'boolean') return unevaluated(document.id, 'expression.not_evaluated')
      return value === mustHold ? allow(source) : deny(document, source)
    },
  })
}

/** null when the evaluation failed, for example on a missing key. */
function evaluated(program: ExpressionProgram, { tool, args }: Call, state: SessionState): unknown {
  try {
    return program.evaluate({ tool, args, calls: callsValue(state), session: sessionValue(state) })
  } catch {
    return null
  }
}

function allow(expression: string): Finding {
  return { result: 'allow', code: 'expression.allows', params: { expression }, because: [] }
}

function deny({ reason }: ExpressionPolicyDocument, expression: string): Finding {
  return {
    result: 'deny',
    code: 'expression.denies',
    params: { expression },
    because: [],
    reason_class: 'rule_said_no',
    reason: reason ?? '',
  }
}
