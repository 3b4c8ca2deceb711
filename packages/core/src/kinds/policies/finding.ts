import type { RuleResult } from '../../model/effect.ts'
import type { JsonObject } from '../../model/json.ts'

export type Finding = Pick<
  RuleResult,
  'result' | 'code' | 'params' | 'because' | 'reason_class' | 'reason'
>

const NO_CAUSE: readonly number[] = []

export function allow(
  code: string,
  params: JsonObject,
  because: readonly number[] = NO_CAUSE,
): Finding {
  return { result: 'allow', code, params, because }
}

interface Why {
  /** Text for the agent. */
  readonly reason: string
  readonly because?: readonly number[]
}

type Against = (code: string, params: JsonObject, why: Why) => Finding

function against(
  result: 'deny' | 'error',
  reason_class: Exclude<Finding['reason_class'], undefined>,
): Against {
  return (code, params, { reason, because = NO_CAUSE }) => {
    return { result, code, params, because, reason_class, reason }
  }
}

export const deny: Against = against('deny', 'rule_said_no')

export const denyUntilMet: Against = against('deny', 'prerequisite_missing')

export const cannotTell: Against = against('error', 'could_not_evaluate')

export function unevaluated(rule: string, code: string): Finding {
  return cannotTell(code, {}, { reason: `Rule '${rule}' could not be evaluated.` })
}
