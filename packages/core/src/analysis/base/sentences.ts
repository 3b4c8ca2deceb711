import {
  list,
  mergeSentences,
  renderSentence,
  type Sentences,
  text,
} from '../../kinds/base/rule-words.ts'
import type { ConfigDocument } from '../../kinds/config.ts'
import { contentWords, describeFound } from '../../kinds/content/content-words.ts'
import { placeDocument } from '../../kinds/placed.ts'
import { customPolicyWords } from '../../kinds/policies/custom.ts'
import { describeConditionResult } from '../../kinds/policies/expression.ts'
import { isKnownPolicy, POLICY_WORDS } from '../../kinds/policies.ts'
import { DENIED_BY_POLICY } from '../../model/default-texts.ts'
import type { ContentDecision, RuleResult, ToolDecision } from '../../model/effect.ts'
import { STOP_SENTENCES } from './stop-sentences.ts'

const SENTENCES: Sentences = {
  ...mergeSentences([...Object.values(POLICY_WORDS), customPolicyWords, contentWords]),
  ...STOP_SENTENCES,
  'policy.threw': () => 'The rule could not be evaluated',
  'feedback.delivered': (p) => `Triggered by ${list(p['conditions']).replaceAll('_', ' ')}`,
  'feedback.failed': (p) => `It failed: ${text(p['error'])}`,
  'feedback.silent': () => 'It was due but gave no feedback',
  'feedback.not_due': () => 'No condition of its trigger was met',
  'feedback.not_reached': () => 'A provider before it gave feedback',
}

/** `document`: the version that governed the call. Absent or null: not known here. */
export function ruleSentence(
  rule: Pick<RuleResult, 'code' | 'params'> & Partial<Pick<RuleResult, 'rule'>>,
  document: ConfigDocument | null = null,
): string {
  const policy = document === null ? undefined : findConditionPolicy(document, rule.rule)
  const condition = policy === undefined ? null : describeConditionResult(policy, rule)
  return condition ?? renderSentence(SENTENCES, rule)
}

/** undefined: the document has no condition of this id. */
function findConditionPolicy(document: ConfigDocument, rule: string | undefined) {
  return placeDocument(document)
    .policies.map(({ item }) => item)
    .filter(isKnownPolicy)
    .filter((policy) => policy.type === 'expression')
    .find(({ id }) => id === rule)
}

export function isShadowDenial({ mode, result }: RuleResult): boolean {
  return mode === 'shadow' && result !== 'allow'
}

/** Names the shadow rules that would have denied an allowed call; null: none. */
export function shadowSentence({ decision, rules }: ToolDecision): string | null {
  const names = rules.filter(isShadowDenial).map(({ rule }) => rule)
  if (decision !== 'allowed' || names.length === 0) return null
  return `would have been denied by ${names.length === 1 ? 'shadow rule' : 'shadow rules'} ${names.join(', ')}`
}

/**
 * Without a deciding rule: the reason given by the runtime, which denies on its own when it has no config.
 * For a condition: the reason that the author of the rule wrote, because the condition is code.
 */
export function decisionSentence(
  decision: ToolDecision,
  document: ConfigDocument | null = null,
): string {
  const deciding = decision.rules.find((rule) => rule.mode === 'enforce' && rule.result !== 'allow')
  if (deciding !== undefined) {
    const { reason } = decision
    const isOwn = reason !== null && reason !== DENIED_BY_POLICY
    return isOwn && deciding.code === 'expression.denies'
      ? withoutPeriod(reason)
      : ruleSentence(deciding, document)
  }
  if (decision.decision !== 'allowed') return withoutPeriod(decision.reason ?? 'Denied')
  const shadow = shadowSentence(decision)
  return shadow === null ? 'Allowed' : `Allowed, ${shadow}`
}

/** A sentence of this module is a heading, or one of a list. */
function withoutPeriod(reason: string): string {
  return reason.replace(/\.$/, '')
}

/** Heading of a decision about a call: also says why a call was allowed. */
export function callSentence(
  decision: ToolDecision,
  document: ConfigDocument | null = null,
): string {
  if (decision.decision !== 'allowed') return decisionSentence(decision, document)
  return `${decision.tool} was allowed: ${shadowSentence(decision) ?? 'no rule denied it'}`
}

/** Names what the rules did to a result. Shadow rules are named only if no other rule found anything. */
export function contentSentence({ rules }: Pick<ContentDecision, 'rules'>): string {
  const found = rules.filter(({ code }) => code !== 'content.clean')
  const acting = found.filter(({ mode }) => mode === 'enforce')
  const sentences =
    acting.length > 0 ? acting.map((rule) => ruleSentence(rule)) : found.map(shadowFinding)
  return [...new Set(sentences)].join(' · ')
}

function shadowFinding({ code, params }: RuleResult): string {
  return code === 'content.not_checked'
    ? 'A shadow rule could not check the result'
    : `A shadow rule found ${describeFound(params)}`
}
