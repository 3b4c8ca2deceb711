// expression: a CEL condition on a call. The engine that evaluates it is in expression/, so that an agent without conditions does not carry it.
import type { RuleBase } from '../../model/rule.ts'

/** A CEL condition on a call; exactly one of `deny_when` and `require` is present. */
export interface ExpressionPolicyDocument extends RuleBase {
  readonly type: 'expression'
  /** Absent: every tool. */
  readonly tools?: readonly string[]
  /** Denies when true. */
  readonly deny_when?: string
  /** Denies when false. */
  readonly require?: string
  /** What the agent is told. Absent: `Denied by policy.` */
  readonly reason?: string
}

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
