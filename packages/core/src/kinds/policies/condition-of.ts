// Which condition an expression policy states.
import type { ExpressionPolicyDocument } from '../../model/config.ts'

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
