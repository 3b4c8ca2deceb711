// A rule whose detector gave no answer acts as if it had found something.
import type { ContentDecision, RuleResult } from '../../model/effect.ts'
import type { ContentFacts } from '../../model/fact.ts'
import type { Replaceable } from '../../model/state.ts'
import { allow, cannotTell, deny, type Finding, unevaluated } from '../policies/finding.ts'
import { type CompiledContentRule, type ContentRuleDocument, canKeep } from './content-rule.ts'

/** `facts` undefined: no detector answered. */
export function judgeContent(
  rules: readonly CompiledContentRule[],
  facts: ContentFacts | undefined,
  replaceable: Replaceable,
): readonly RuleResult[] {
  return rules.map(({ document, pointer, mode }) => ({
    rule: document.id,
    pointer,
    type: 'content',
    mode,
    ...judge(document, facts, replaceable),
  }))
}

function judge(
  document: ContentRuleDocument,
  facts: ContentFacts | undefined,
  replaceable: Replaceable,
): Finding {
  const { id, on, kind } = document
  const what = { on, kind }
  const action = canKeep(document, replaceable) ? document.action : 'warn'
  if (facts?.checked.includes(id) !== true) {
    if (action === 'warn') return allow('content.not_checked', what)
    return on === 'arguments'
      ? unevaluated(id, 'content.not_checked')
      : cannotTell('content.not_checked', what, { reason: withheldText(kind) })
  }
  const count = facts.found.filter(({ rule }) => rule === id).length
  const params = { ...what, count }
  if (count === 0) return allow('content.clean', what)
  if (action === 'warn') return allow('content.warned', params)
  if (action === 'mask') return allow('content.masked', params)
  return on === 'arguments'
    ? deny('content.denied', params, { reason: deniedText(document) })
    : deny('content.withheld', params, { reason: withheldText(kind) })
}

function deniedText(document: ContentRuleDocument): string {
  const what =
    document.kind === 'size' ? `more than ${document.max_chars} characters` : document.kind
  return `Arguments contain ${what}.`
}

/** Text that the model reads instead of a result. */
export function withheldText(kind: ContentRuleDocument['kind']): string {
  return `Result withheld: ${kind}.`
}

/** Results of the rules on one call's result. null: every rule is sure that there is nothing. */
export function concludeContent(
  { call_id, tool }: Pick<ContentDecision, 'call_id' | 'tool'>,
  rules: readonly RuleResult[],
): ContentDecision | null {
  if (rules.every(({ code }) => code === 'content.clean')) return null
  const acting = rules.filter(({ mode }) => mode === 'enforce')
  const against = acting.filter(({ result }) => result !== 'allow')
  const isMasked = acting.some(({ code }) => code === 'content.masked')
  return {
    call_id,
    tool,
    verdict: against.length > 0 ? 'withheld' : isMasked ? 'masked' : 'passed',
    text: against.length === 0 ? null : joinReasons(against),
    rules,
  }
}

function joinReasons(rules: readonly RuleResult[]): string {
  return [...new Set(rules.flatMap(({ reason }) => reason ?? []))].join('\n')
}

/** Rules whose findings are replaced before the model, the tool, or a record gets the value. */
export function listMasking(rules: readonly RuleResult[]): ReadonlySet<string> {
  return new Set(
    rules.flatMap(({ rule, mode, code }) =>
      mode === 'enforce' && REPLACED.has(code) ? [rule] : [],
    ),
  )
}

const REPLACED: ReadonlySet<string> = new Set([
  'content.masked',
  'content.denied',
  'content.withheld',
])

/** Rules of which the agent is warned once the call has ended. */
export function listWarning(rules: readonly RuleResult[]): readonly RuleResult[] {
  return rules.filter(({ code, result }) => {
    const isWarning = code === 'content.warned' || code === 'content.not_checked'
    return result === 'allow' && isWarning
  })
}
