import { decidingCheck } from '../../engine/decide-stop.ts'
import { counted, list, type Sentences, text } from '../../kinds/base/rule-words.ts'
import { customCheckerWords } from '../../kinds/checkers/custom.ts'
import { CHECKER_WORDS } from '../../kinds/checkers.ts'
import type { ConfigDocument } from '../../kinds/config.ts'
import { contentWords, describeFound } from '../../kinds/content/content-words.ts'
import { placeDocument } from '../../kinds/placed.ts'
import { customPolicyWords } from '../../kinds/policies/custom.ts'
import { describeConditionResult } from '../../kinds/policies/expression.ts'
import { isKnownPolicy, POLICY_WORDS } from '../../kinds/policies.ts'
import { DENIED_BY_POLICY } from '../../model/default-texts.ts'
import type {
  CheckResult,
  ContentDecision,
  RuleResult,
  StopDecision,
  ToolDecision,
} from '../../model/effect.ts'
import { getOwn, type JsonObject, type JsonValue } from '../../model/json.ts'

const SENTENCES: Sentences = {
  ...mergeSentences([...Object.values(POLICY_WORDS), customPolicyWords, contentWords]),
  ...mergeSentences([...Object.values(CHECKER_WORDS), customCheckerWords]),
  'policy.threw': () => 'The rule could not be evaluated',
  'feedback.delivered': (p) => `Triggered by ${list(p['conditions']).replaceAll('_', ' ')}`,
  'feedback.failed': (p) => `It failed: ${text(p['error'])}`,
  'feedback.silent': () => 'It was due but gave no feedback',
  'feedback.not_due': () => 'No condition of its trigger was met',
  'feedback.not_reached': () => 'A provider before it gave feedback',
  'checker.threw': () => 'The checker could not be evaluated',
  'check.not_evaluated': (p) => `Skipped because ${text(p['cause'])} decided first`,
  'check.bypassed': (p) => `Skipped because of the ${text(p['cause'])}`,
  'outlook.unknown': () => 'It depends on facts that are not known until the agent stops',
  'outlook.files': (p) => `Existence is looked up when the agent stops: ${list(p['files'])}`,
  'outlook.judge': () => 'The model is asked when the agent stops',
  'outlook.custom': () => 'Its code is asked when the agent stops',
  'outlook.attempt': () => 'It depends on how the agent stops',
  'stop.no_checker': () => 'Allowed: no completion checker is configured',
  'stop.no_config': () => 'Allowed: no guardrail config was in force',
  'stop.not_decided': () => 'Whether the task is complete could not be checked',
  'stop.undecided_often': (p) =>
    `Allowed although nothing could be checked: ${counted(p['limit'], 'previous stop')} could not be decided either`,
  'stop.deadline': (p) =>
    `Allowed without checks: the deadline passed ${overdue(p['overdue_ms'])} earlier`,
  'stop.budget': (p) =>
    `Allowed without checks: the budget of ${text(p['limit'])} ${text(p['dimension']).replaceAll('_', ' ')} is used up`,
  'stop.ended': (p) =>
    `Allowed without checks: ${text(p['by'])} ended the session (${text(p['reason'])})`,
  'stop.max_blocks': (p) =>
    `Allowed although incomplete: ${counted(p['limit'], 'stop')} ${p['limit'] === 1 ? 'was' : 'were'} blocked before`,
}

function mergeSentences(words: readonly { readonly sentences: Sentences }[]): Sentences {
  return Object.assign({}, ...words.map(({ sentences }) => sentences))
}

function overdue(value: JsonValue | undefined): string {
  return typeof value === 'number' ? `${(value / 1000).toFixed(1)} s` : '–'
}

function sentence(code: string, params: JsonObject): string {
  const render = getOwn(SENTENCES, code)
  return render === undefined ? code : render(params)
}

/** True for an incomplete stop where no stop may be blocked (`max_stop_blocks` or the harness's limit is 0): its check is in shadow mode. */
export function wouldBlock({ code, params }: Pick<StopDecision, 'code' | 'params'>): boolean {
  return code === 'stop.max_blocks' && params['limit'] === 0
}

/** Without a period, because it is used as a heading. */
export function stopSentence(
  stop: Pick<StopDecision, 'code' | 'params'> & Partial<Pick<StopDecision, 'check'>>,
): string {
  const { code, params, check = null } = stop
  const deciding = check === null ? null : decidingCheck(check)
  if (wouldBlock(stop))
    return deciding === null ? WOULD_BLOCK : `${WOULD_BLOCK}: ${decidingSentence(deciding)}`
  return deciding?.code === code ? decidingSentence(deciding) : sentence(code, params)
}

/** Names the checker of a condition, because its sentence does not. */
function decidingSentence(check: CheckResult): string {
  const own = checkSentence(check)
  return check.type === 'expression'
    ? own.replace(/^The condition/, `The condition of rule ${check.checker}`)
    : own
}

const WOULD_BLOCK = 'Would have been blocked'

/** `document`: the version that governed the call. Absent or null: not known here. */
export function ruleSentence(
  rule: Pick<RuleResult, 'code' | 'params'> & Partial<Pick<RuleResult, 'rule'>>,
  document: ConfigDocument | null = null,
): string {
  const policy = document === null ? undefined : findConditionPolicy(document, rule.rule)
  const condition = policy === undefined ? null : describeConditionResult(policy, rule)
  return condition ?? sentence(rule.code, rule.params)
}

/** undefined: the document has no condition of this id. */
function findConditionPolicy(document: ConfigDocument, rule: string | undefined) {
  return placeDocument(document)
    .policies.map(({ item }) => item)
    .filter(isKnownPolicy)
    .filter((policy) => policy.type === 'expression')
    .find(({ id }) => id === rule)
}

/** An unmet condition is explained by the feedback that its author wrote, because the condition is code. */
export function checkSentence(
  check: Pick<CheckResult, 'code' | 'params'> & Partial<Pick<CheckResult, 'feedback'>>,
): string {
  const { code, params, feedback = null } = check
  const own = sentence(code, params)
  return code === 'expression.does_not_hold' && feedback !== null
    ? `${own}: ${feedback.replace(/\.$/, '')}`
    : own
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
      ? reason.replace(/\.$/, '')
      : ruleSentence(deciding, document)
  }
  if (decision.decision !== 'allowed') return decision.reason ?? 'Denied'
  const shadow = shadowSentence(decision)
  return shadow === null ? 'Allowed' : `Allowed, ${shadow}`
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
