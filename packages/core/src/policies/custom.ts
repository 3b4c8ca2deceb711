// Custom policies: code outside core answers, and the answer is a fact of the request. No answer denies.
import type { CustomPolicyDocument } from '../config.ts'
import { answerOf } from '../fact.ts'
import { type Call, type Finding, type Policy, plainPolicy, unevaluated } from './policy.ts'

export function customPolicy(document: CustomPolicyDocument): Policy {
  return {
    ...plainPolicy({
      denies: document.tools ?? 'every',
      check: (call) => check(document.id, call),
    }),
    external: true,
  }
}

function check(rule: string, { facts }: Call): Finding {
  const answer = answerOf(facts, rule)
  if (answer?.kind !== 'policy') return unevaluated(rule, 'answer.missing')
  if (answer.allow) return { result: 'allow', code: 'custom.allows', params: {}, because: [] }
  return {
    result: 'deny',
    code: 'custom.denies',
    params: answer.reason === undefined ? {} : { reason: answer.reason },
    because: [],
    reason_class: 'rule_said_no',
    reason: answer.reason ?? '',
  }
}
