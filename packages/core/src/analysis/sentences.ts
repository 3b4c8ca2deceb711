// The operator's voice: one sentence per reason code, shared by lists, audit pages, the CLI and alerts.

import type { CheckResult, RuleResult, StopDecision, ToolDecision } from '../model/effect.ts'
import type { JsonObject, JsonValue } from '../model/json.ts'
import { countText, plural, pluralOf } from './count-text.ts'

type Sentence = (params: JsonObject) => string

function text(value: JsonValue | undefined): string {
  if (typeof value === 'number') return countText(value)
  return typeof value === 'string' ? value : '–'
}

/** An event of another build may lack the number. */
function counted(value: JsonValue | undefined, noun: string): string {
  return typeof value === 'number' ? plural(value, noun) : `– ${pluralOf(noun)}`
}

function list(value: JsonValue | undefined): string {
  return Array.isArray(value) ? value.map(text).join(', ') : '–'
}

function isOne(value: JsonValue | undefined): boolean {
  return Array.isArray(value) && value.length === 1
}

function filesSentence(params: JsonObject): string {
  const names = list(params['missing'])
  return isOne(params['missing'])
    ? `Required file ${names} is missing`
    : `Required files are missing: ${names}`
}

function byWhom(value: JsonValue | undefined): string {
  return typeof value === 'string' ? ` (${value})` : ''
}

const SENTENCES: { readonly [code: string]: Sentence } = {
  'sequential.satisfied': (p) => `${list(p['needed'])} succeeded before`,
  'sequential.missing': (p) => `${text(p['tool'])} needs ${list(p['missing'])} first`,
  'file.new': (p) => `${text(p['path'])} does not exist yet`,
  'file.was_read': (p) => `${text(p['path'])} was read before`,
  'file.not_read': (p) => `${text(p['path'])} exists and was not read`,
  'file.changed': (p) => `${text(p['path'])} changed since it was read`,
  'file.is_directory': (p) => `${text(p['path'])} is a directory`,
  'file.outside_workspace': (p) => `${text(p['path'])} is outside the workspace`,
  'file.existence_unknown': (p) => `Whether ${text(p['path'])} exists is unknown`,
  'file.path_hidden': () => 'The path of the call was redacted',
  'file.behind_link': (p) => `${text(p['path'])} leaves a folder that may be a link`,
  'file.too_many_paths': (p) => `The call names more than ${counted(p['most'], 'path')}`,
  'arguments.not_an_object': () => 'The arguments of the call are not an object',
  'expression.allows': (p) => `The condition allows it: ${text(p['expression'])}`,
  'expression.denies': (p) => `The condition denies it: ${text(p['expression'])}`,
  'expression.not_evaluated': () => 'The condition could not be evaluated',
  'expression.holds': (p) => `${text(p['expression'])} is true`,
  'expression.does_not_hold': (p) => `${text(p['expression'])} is not true`,
  'rate.within_limit': (p) =>
    `Within the limit of ${text(p['max_calls'])} in ${text(p['per_seconds'])} s`,
  'rate.exceeded': (p) =>
    `${text(p['tool'])} reached the limit of ${text(p['max_calls'])} in ${text(p['per_seconds'])} s`,
  'approval.approved': (p) => `Approved${byWhom(p['by'])}`,
  'approval.denied': (p) => `Not approved${byWhom(p['by'])}`,
  'approval.timed_out': (p) => `Nobody approved it within ${text(p['timeout_seconds'])} s`,
  'approval.unavailable': () => 'It needs approval, and nobody could be asked',
  'approval.would_ask': (p) => `${text(p['tool'])} would need approval`,
  'custom.allows': () => 'The custom rule allows it',
  'custom.denies': (p) =>
    p['reason'] === undefined ? 'The custom rule denies it' : text(p['reason']),
  'answer.missing': () => 'The custom rule gave no answer',
  'policy.threw': () => 'The rule could not be evaluated',
  'feedback.delivered': (p) => `Spoke because of ${list(p['conditions']).replaceAll('_', ' ')}`,
  'feedback.failed': (p) => `It could not speak: ${text(p['error'])}`,
  'feedback.silent': () => 'It was due, but had nothing to say',
  'feedback.not_due': () => 'No condition of its trigger held',
  'feedback.not_reached': () => 'Another provider had the last word',
  'plan.none': () => 'No plan exists',
  'plan.done': (p) => `All ${text(p['total'])} plan steps are done`,
  'plan.open_steps': (p) =>
    `${text(p['open'])} of ${text(p['total'])} plan steps ${p['open'] === 1 ? 'is' : 'are'} not done`,
  'files.all_exist': (p) => `${list(p['files'])} ${isOne(p['files']) ? 'exists' : 'exist'}`,
  'files.missing': filesSentence,
  'files.unknown': (p) => `Whether these files exist is unknown: ${list(p['unknown'])}`,
  'tool.succeeded': (p) => `${text(p['tool'])} succeeded`,
  'tool.not_run': (p) => `${text(p['tool'])} has not run`,
  'tool.last_run_failed': (p) => `The last run of ${text(p['tool'])} did not succeed`,
  'tool.outdated': (p) => `${text(p['tool'])} has not succeeded since ${list(p['newer'])}`,
  'judge.passed': (p) => `The judge says that it is complete${byWhom(p['by'])}`,
  'judge.incomplete': (p) => `The judge says that it is not complete${byWhom(p['by'])}`,
  'judge.not_answered': () => 'The judge gave no usable answer',
  'judge.unavailable': () => 'There is no model to judge it',
  'custom.passed': () => 'The custom check passed',
  'custom.incomplete': () => 'The custom check is not complete',
  'custom.not_answered': () => 'The custom check gave no answer',
  'composite.all_passed': () => 'All checks passed',
  'composite.child_passed': (p) => `${text(p['cause'])} passed`,
  'composite.child_incomplete': (p) => `${text(p['cause'])} is not complete`,
  'composite.none_passed': () => 'No check passed',
  'composite.empty': () => 'No checkers are configured',
  'checker.threw': () => 'The checker could not be evaluated',
  'check.not_evaluated': (p) => `Skipped because ${text(p['cause'])} decided first`,
  'check.bypassed': (p) => `Skipped because of the ${text(p['cause'])}`,
  'outlook.unknown': () => 'It depends on what is not known before the agent stops',
  'outlook.files': (p) => `Existence is looked up when the agent stops: ${list(p['files'])}`,
  'outlook.judge': () => 'The model is asked when the agent stops',
  'outlook.custom': () => 'Its code is asked when the agent stops',
  'outlook.attempt': () => 'It looks at how the agent stops',
  'stop.no_checker': () => 'Allowed: no completion checker is configured',
  'stop.no_config': () => 'Allowed: no guardrail config was in force',
  'stop.not_decided': () => 'Whether the task is complete could not be checked',
  'stop.undecided_often': (p) =>
    `Allowed although nothing could be checked: ${counted(p['limit'], 'stop')} before could not be decided either`,
  'stop.deadline': (p) =>
    `Allowed without checks: the deadline passed ${overdue(p['overdue_ms'])} earlier`,
  'stop.budget': (p) =>
    `Allowed without checks: the budget of ${text(p['limit'])} ${text(p['dimension']).replaceAll('_', ' ')} is used up`,
  'stop.max_blocks': (p) =>
    `Allowed although incomplete: ${counted(p['limit'], 'stop')} ${p['limit'] === 1 ? 'was' : 'were'} blocked before`,
}

function overdue(value: JsonValue | undefined): string {
  return typeof value === 'number' ? `${(value / 1000).toFixed(1)} s` : '–'
}

function sentence(code: string, params: JsonObject): string {
  const render = Object.hasOwn(SENTENCES, code) ? SENTENCES[code] : undefined
  return render === undefined ? code : render(params)
}

/** Without a full stop: it is a heading. */
export function stopSentence(stop: Pick<StopDecision, 'code' | 'params'>): string {
  return sentence(stop.code, stop.params)
}

/** What one rule said of a call. */
export function ruleSentence(rule: Pick<RuleResult, 'code' | 'params'>): string {
  return sentence(rule.code, rule.params)
}

/** What one check said of a stop. */
export function checkSentence(check: Pick<CheckResult, 'code' | 'params'>): string {
  return sentence(check.code, check.params)
}

/** The first rule that decided; without one, the reason of the runtime, which denies by itself when it has no config. */
export function decisionSentence(decision: ToolDecision): string {
  const deciding = decision.rules.find((rule) => rule.mode === 'enforce' && rule.result !== 'allow')
  if (deciding !== undefined) return ruleSentence(deciding)
  return decision.decision === 'allowed' ? 'Allowed' : (decision.reason ?? 'Denied')
}
