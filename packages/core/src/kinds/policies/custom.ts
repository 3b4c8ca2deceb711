// Custom policies: code outside core answers, and the answer is a fact of the request. No answer denies.
import type { CustomPolicyDocument } from '../../model/config.ts'
import { answerOf } from '../../model/fact.ts'
import { allow, deny, type Finding, unevaluated } from './finding.ts'
import { type Call, type Policy, policyOf } from './policy.ts'

export function customPolicy(document: CustomPolicyDocument): Policy {
  return policyOf({
    denies: document.tools ?? 'every',
    check: (call) => check(document.id, call),
    external: true,
  })
}

function check(rule: string, { facts }: Call): Finding {
  const answer = answerOf(facts, rule)
  if (answer?.kind !== 'policy') return unevaluated(rule, 'answer.missing')
  if (answer.allow) return allow('custom.allows', {})
  const { reason } = answer
  return deny('custom.denies', reason === undefined ? {} : { reason }, { reason: reason ?? '' })
}
