import type { PolicyDocument } from '@signalbox/core'
import { toCustomType, toParamsField } from './rule-options.ts'
import type { RuleScribe } from './rule-scribe.ts'
import type { ToolPolicy } from './tool-policy.ts'

export interface DeclaredPolicy {
  toDocument(scribe: RuleScribe): PolicyDocument
}

export type PolicyDeclaration = ToolPolicy | DeclaredPolicy

export function policyDocument(policy: PolicyDeclaration, scribe: RuleScribe): PolicyDocument {
  if ('toDocument' in policy) return policy.toDocument(scribe)
  const rule = scribe.rule(policy.name, policy)
  const type = toCustomType(policy.name)
  scribe.policies.set(rule.id, { type, rule: policy })
  const tools = policy.tools === undefined ? {} : { tools: policy.tools }
  return { ...rule, type, ...tools, ...toParamsField(policy.params) }
}
