// Separate from the sentences on rules: the forecast of a stop needs only these.
import { decidingCheck } from '../../engine/decide-stop.ts'
import {
  counted,
  list,
  mergeSentences,
  renderSentence,
  type Sentences,
  text,
} from '../../kinds/base/rule-words.ts'
import { customCheckerWords } from '../../kinds/checkers/custom.ts'
import { CHECKER_WORDS } from '../../kinds/checkers.ts'
import type { CheckResult, StopDecision } from '../../model/effect.ts'
import type { JsonValue } from '../../model/json.ts'

export const STOP_SENTENCES: Sentences = {
  ...mergeSentences([...Object.values(CHECKER_WORDS), customCheckerWords]),
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

function overdue(value: JsonValue | undefined): string {
  if (typeof value !== 'number') return '–'
  return value < 1000 ? `${value} ms` : `${(value / 1000).toFixed(1)} s`
}

/** True for an incomplete stop where no stop may be blocked (`max_stop_blocks` or the harness's limit is 0): its check is in shadow mode. */
export function wouldBlock({ code, params }: Pick<StopDecision, 'code' | 'params'>): boolean {
  return code === 'stop.max_blocks' && params['limit'] === 0
}

/** Without a period, because it is used as a heading. */
export function stopSentence(
  stop: Pick<StopDecision, 'code' | 'params'> & Partial<Pick<StopDecision, 'check'>>,
): string {
  const { code, check = null } = stop
  const deciding = check === null ? null : decidingCheck(check)
  if (wouldBlock(stop))
    return deciding === null ? WOULD_BLOCK : `${WOULD_BLOCK}: ${decidingSentence(deciding)}`
  return deciding?.code === code ? decidingSentence(deciding) : renderSentence(STOP_SENTENCES, stop)
}

/** Names the checker of a condition, because its sentence does not. Alternatives that all failed give their own reasons. */
function decidingSentence(check: CheckResult): string {
  if (check.code === 'composite.none_passed' && check.children) {
    return check.children.map((child) => decidingSentence(decidingCheck(child))).join(' · ')
  }
  const own = checkSentence(check)
  return check.type === 'expression'
    ? own.replace(/^The condition/, `The condition of rule ${check.checker}`)
    : own
}

const WOULD_BLOCK = 'Would have been blocked'

/** An unmet condition is explained by the feedback that its author wrote, because the condition is code. */
export function checkSentence(
  check: Pick<CheckResult, 'code' | 'params'> & Partial<Pick<CheckResult, 'feedback'>>,
): string {
  const { code, feedback = null } = check
  const own = renderSentence(STOP_SENTENCES, check)
  return code === 'expression.does_not_hold' && feedback !== null
    ? `${own}: ${feedback.replace(/\.$/, '')}`
    : own
}
