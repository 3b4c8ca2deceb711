import { findAnswer } from '../../model/fact.ts'
import { type JsonObject, omitUndefined } from '../../model/json.ts'
import type { RuleBase } from '../../model/rule.ts'
import { step } from '../base/policy-reason.ts'
import { describeCalls, text } from '../base/rule-words.ts'
import { allow, deny, type Finding, unevaluated } from './finding.ts'
import { type Call, createPolicy, type Policy } from './policy.ts'
import {
  compareRest,
  compareTools,
  dropMemory,
  listedTools,
  NOTHING_TO_VIEW,
  noApproval,
  none,
  type PolicyRule,
  type PolicyWords,
} from './policy-rule.ts'

/** A rule whose type is answered by code outside core. Refused if that code is missing, unless `optional`. */
export interface CustomPolicyDocument extends RuleBase {
  readonly type: string
  /** Absent: every tool. */
  readonly tools?: readonly string[]
  /** Settings of the type. Their JSON Schema is registered with the code. */
  readonly params?: JsonObject
}

export function customPolicy(document: CustomPolicyDocument): Policy {
  return createPolicy({
    denies: document.tools ?? 'every',
    check: (call) => check(document.id, call),
    external: true,
  })
}

function check(rule: string, { facts }: Call): Finding {
  const answer = findAnswer(facts, rule)
  if (answer?.kind !== 'policy') return unevaluated(rule, 'answer.missing')
  if (answer.allow) return allow('custom.allows', {})
  const { reason } = answer
  return deny('custom.denies', omitUndefined({ reason }), { reason: reason ?? '' })
}

export const customPolicyRule: PolicyRule<CustomPolicyDocument> = {
  governs: ({ tools }) => tools ?? 'every',
  denies: ({ tools }) => tools ?? 'every',
  toolsNamed: listedTools,
  toolsWatched: none,
  prerequisites: none,
  deniesAlways: () => false,
  seesCommands: true,
  approvalSeconds: noApproval,
  errors: none,
  compare: (pair) => [...compareTools(pair, 'judges'), ...compareRest(pair, ['tools'])],
  carryOver: dropMemory,
  needsToolOnly: false,
  view: () => NOTHING_TO_VIEW,
}

export const customPolicyWords: PolicyWords<CustomPolicyDocument> = {
  describe: ({ type, tools }) => `Custom type \`${type}\` decides ${describeCalls(tools)}`,
  sentences: {
    'custom.allows': () => 'The custom rule allows it',
    'custom.denies': (p) =>
      p['reason'] === undefined ? 'The custom rule denies it' : text(p['reason']),
    'answer.missing': () => 'The custom rule gave no answer',
  },
  reasons: {
    'custom.allows': { basis: 'answer' },
    'custom.denies': {
      basis: 'answer',
      steps: ({ rule }) => [step('operator', `Do what \`${rule}\` asks for, or change its code`)],
    },
    'answer.missing': { basis: 'answer' },
  },
}
