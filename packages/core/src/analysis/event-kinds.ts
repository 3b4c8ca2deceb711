// A type is its data and look in model/event.ts, its lines here, and its schema in packages/wire; a missing part does not compile.

import { TRIGGER_WORDS } from '../kinds/feedback/trigger.ts'
import { countText, plural } from '../model/count-text.ts'
import type { ContentDecision, StopDecision, ToolDecision } from '../model/effect.ts'
import type {
  EventData,
  EventType,
  FeedbackDelivered,
  SessionEvent,
  ShadowStarted,
  ShadowVerdict,
  ToolRequested,
} from '../model/event.ts'
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts'
import { contentSentence, decisionSentence, shadowSentence } from './base/sentences.ts'
import { stopSentence, wouldBlock } from './base/stop-sentences.ts'
import {
  code,
  coded,
  type EventFact,
  fields,
  instant,
  json,
  list,
  listLookUpFacts,
  text,
  tokens,
  when,
  words,
} from './event-fact.ts'
import { checkNode } from './reading/check-node.ts'

export interface EventSummary {
  /** Verdict of a decision or of feedback; null: the event has none. */
  readonly verdict:
    | ToolDecision['decision']
    | ContentDecision['verdict']
    | StopDecision['verdict']
    | 'info'
    | 'caution'
    | 'warning'
    | EventData['session.controlled']['action']
    | ShadowVerdict
    | null
  /** Tool, provider id or kind of stop; null: none. */
  readonly subject: string | null
  readonly summary: string
  readonly durationMs: number | null
}

const MAX_SUMMARY = 200

function clipped(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > MAX_SUMMARY ? `${line.slice(0, MAX_SUMMARY - 1)}…` : line
}

function row(subject: string | null, summary: string, more?: Partial<EventSummary>): EventSummary {
  return { verdict: null, durationMs: null, subject, summary: clipped(summary), ...more }
}

/** Prefers a file's path relative to the workspace, which the facts contain, because harnesses often give absolute paths. */
function requestLine({ args, facts }: ToolRequested): string {
  const line = argumentsLine(args)
  const known = Object.keys(facts?.files ?? {})
  return known.find((file) => line.endsWith(`/${file}`)) ?? line
}

function argumentsLine(args: JsonObject): string {
  for (const name of ['path', 'file_path', 'command', 'cmd', 'pattern', 'url']) {
    const value = getOwn(args, name)
    if (typeof value === 'string') return value
  }
  const first = Object.values(args).find((value) => typeof value === 'string')
  return typeof first === 'string' ? first : ''
}

function valueLine(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  return isJsonObject(value) ? argumentsLine(value) : String(value)
}

interface EventKind<Data> {
  summarize(data: Data): EventSummary
  /** In display order. */
  facts(data: Data): readonly (EventFact | null)[]
}

const DELIVERY = {
  message: 'as a message to the agent',
  in_result: 'in the result of the call',
  none: 'not delivered: its harness does not support it',
} as const satisfies Record<FeedbackDelivered['delivery'], string>

const APPROVAL = {
  approved: 'approved',
  denied: 'not approved',
  timed_out: 'no one answered in time',
  unavailable: 'no one could be asked',
} as const satisfies Record<EventData['approval.decided']['decision'], string>

const OUTCOME = {
  success: 'success',
  failure: 'failure, its changes to the session do not count',
  denied: 'denied, it did not run',
  invalid: 'invalid arguments, it did not run',
  unknown: 'unknown, counted as a failure',
} as const satisfies Record<EventData['tool.invoked']['outcome'], string>

const BYPASS = {
  deadline: 'the deadline had passed',
  budget: 'the budget was used up',
  max_blocks: 'the limit on blocked stops was reached',
  ended: 'a user ended the session',
} as const satisfies Record<NonNullable<StopDecision['bypass']>, string>

/** Null: the stop was not bypassed. */
function describeBypass(stop: StopDecision): string | null {
  if (wouldBlock(stop)) return 'no stop may be blocked here'
  return stop.bypass === undefined ? null : BYPASS[stop.bypass]
}

const CONTROL = {
  pause: 'paused: every call is denied until it is resumed',
  resume: 'resumed',
  end: 'ended: every call is denied, and the next stop is allowed',
} as const satisfies Record<EventData['session.controlled']['action'], string>

const LAPSE = {
  guard_unreachable: 'the guard was not reachable',
  guard_timeout: 'the guard did not answer in time',
  hook_missing: 'a hook was missing',
  unsupported_version: 'the harness has an unsupported version',
} as const satisfies Record<EventData['enforcement.lapsed']['code'], string>

const shadowVersion = ({ version, digest }: ShadowStarted) => [
  words('Version', `v${version}`),
  code('Digest', digest),
]

const KINDS = {
  'session.started': {
    summarize: ({ ns, key, environment }) => row(null, `${ns}/${key} in ${environment}`),
    facts: ({ harness, budget, capabilities, ...data }) => [
      code('Prompt', `${data.ns}/${data.key}`),
      words('Environment', data.environment),
      words('Harness', [harness.name, harness.version].filter(Boolean).join(' ')),
      words('Library', data.sdk),
      words('Semantics', String(data.semantics ?? 1)),
      code('Runtime', data.runtime),
      words(
        'Config',
        data.config_version === undefined ? 'not published' : `v${data.config_version}`,
      ),
      instant('Deadline', data.deadline_at),
      tokens('Budget in total', budget?.max_total_tokens),
      tokens('Budget for input', budget?.max_input_tokens),
      tokens('Budget for output', budget?.max_output_tokens),
      code('Workspace', data.workspace_root),
      fields('Tags', data.tags),
      list('Custom rule types', (data.custom_types ?? []).map(coded)),
      // Spread, because an interface has no index signature.
      fields('Harness can', capabilities === undefined ? undefined : { ...capabilities }),
    ],
  },
  'session.ended': {
    summarize: ({ error, reason }) => row(null, error ?? reason),
    facts: ({ reason, error, output }) => [
      words('Reason', reason),
      text('Error', error),
      json('Output', output),
    ],
  },
  'prompt.rendered': {
    summarize: ({ prompt }) => row(prompt, 'rendered'),
    facts: ({ prompt }) => [code('Prompt', prompt)],
  },
  'prompt.executed': {
    summarize: ({ prompt }) => row(prompt, 'executed'),
    facts: ({ prompt }) => [code('Prompt', prompt)],
  },
  'tool.requested': {
    summarize: (data) => row(data.tool, requestLine(data)),
    facts: ({ tool, args, agent, facts, call_id }) => [
      code('Tool', tool),
      fields('Parameters', args),
      code('Sub-agent', agent),
      ...listLookUpFacts(facts),
      code('Call', call_id),
    ],
  },
  'approval.requested': {
    summarize: ({ tool, rules }) =>
      row(tool, `${rules.length === 1 ? 'rule' : 'rules'} ${rules.join(', ')}`),
    facts: ({ tool, rules, expires_at, call_id }) => [
      code('Tool', tool),
      list('Rules', rules.map(coded)),
      instant('Waits until', expires_at),
      code('Call', call_id),
    ],
  },
  'approval.decided': {
    summarize: ({ decision, by }) => row('approval', joined(decision.replaceAll('_', ' '), by)),
    facts: ({ decision, by, note, call_id }) => [
      words('Answer', APPROVAL[decision]),
      words('By', by),
      text('Note to the agent', note),
      code('Call', call_id),
    ],
  },
  'tool.decided': {
    summarize: (data) =>
      row(data.tool, decisionSentence(data), {
        verdict: shadowSentence(data) === null ? data.decision : 'would_deny',
      }),
    facts: ({ tool, reason, rules, call_id }) => [
      code('Tool', tool),
      text('Message to the agent', reason),
      rules.length === 0
        ? words('Rules', 'none applies to this call')
        : { name: 'Rules', value: { kind: 'rules', rules } },
      code('Call', call_id),
    ],
  },
  'tool.invoked': {
    summarize: ({ tool, outcome, error, output, duration_ms: durationMs = null }) =>
      row(tool, joined(outcome, error ?? valueLine(output)), { durationMs }),
    facts: ({ tool, outcome, error, output, agent, facts, call_id }) => [
      code('Tool', tool),
      words('Outcome', OUTCOME[outcome]),
      text('Error', error),
      json('Result', output),
      code('Sub-agent', agent),
      ...listLookUpFacts(facts),
      code('Call', call_id),
    ],
  },
  'content.decided': {
    summarize: (data) => row(data.tool, contentSentence(data), { verdict: data.verdict }),
    facts: ({ tool, text: replacement, rules, call_id }) => [
      code('Tool', tool),
      text('Instead of the result', replacement),
      { name: 'Rules', value: { kind: 'rules', rules } },
      code('Call', call_id),
    ],
  },
  'feedback.delivered': {
    summarize: ({ provider, summary, severity }) => row(provider, summary, { verdict: severity }),
    facts: (data) => [
      text('Summary', data.summary),
      list(
        'Noticed',
        data.observations.map(({ category, description, evidence }) =>
          [`${category}: ${description}`, evidence].filter(Boolean).join(' · '),
        ),
      ),
      list('Suggests', data.suggestions),
      code('Provider', data.provider),
      data.mode === 'enforce' ? null : words('Mode', data.mode),
      list(
        'Trigger',
        data.conditions.map((condition) => TRIGGER_WORDS[condition].cause),
      ),
      words('After', `call ${countText(data.call_index)} of ${data.prompt}`),
      words('Delivered', DELIVERY[data.delivery]),
      code('Call', data.call_id),
    ],
  },
  'feedback.failed': {
    summarize: ({ provider, error }) => row(provider, error),
    facts: ({ provider, error }) => [code('Provider', provider), text('Error', error)],
  },
  'plan.updated': {
    summarize: ({ steps }) => {
      const done = steps.filter(({ status }) => status === 'done').length
      return row('plan', `${done} of ${steps.length} done`)
    },
    facts: ({ steps }) => [{ name: 'Plan', value: { kind: 'plan', steps } }],
  },
  'file.observed': {
    summarize: ({ path }) => row(null, path),
    facts: ({ path, facts }) => [code('Path', path), ...listLookUpFacts(facts)],
  },
  'usage.recorded': {
    summarize: ({ input_tokens, output_tokens, total_tokens = input_tokens + output_tokens }) =>
      row(null, plural(total_tokens, 'token')),
    facts: ({ evaluation_id, input_tokens, output_tokens, total_tokens }) => [
      tokens('Input', input_tokens),
      tokens('Output', output_tokens),
      tokens('Total', total_tokens ?? input_tokens + output_tokens),
      code('Evaluation', evaluation_id),
    ],
  },
  'stop.attempted': {
    summarize: ({ via }) => row('stop', via.replaceAll('_', ' ')),
    facts: (data) => [
      { name: 'Kind', value: { kind: 'via', via: data.via } },
      code('Stop reason', data.stop_reason),
      text('Last message', data.last_message),
      json('Output', data.output),
      code('Sub-agent', data.agent),
      when('Harness allows', data.harness_max_blocks, (many) => ({
        kind: 'words',
        text: `${plural(many, 'blocked stop')} in a row`,
      })),
      ...listLookUpFacts(data.facts),
    ],
  },
  'stop.decided': {
    summarize: (data) =>
      row('stop', `${stopSentence(data)} · attempt ${data.attempt}`, {
        verdict: wouldBlock(data) ? 'would_block' : data.verdict,
      }),
    facts: (data) => [
      words('Attempt', countText(data.attempt)),
      words('Bypassed because', describeBypass(data)),
      words('Blocked before', countText(data.prior_blocks)),
      when('Checks', data.check, (root) => ({ kind: 'checks', root: checkNode(root) })),
      text('Message to the agent', data.message),
    ],
  },
  'completion.overridden': {
    summarize: ({ cause }) => row('stop', cause),
    facts: ({ cause, attempt }) => [
      text('Cause', cause),
      words('Attempt', attempt === undefined ? null : countText(attempt)),
    ],
  },
  'enforcement.lapsed': {
    summarize: ({ tool = null, detail }) => row(tool, detail),
    facts: ({ code: lapse, detail, tool, call_id }) => [
      words('What', LAPSE[lapse]),
      text('Seen', detail),
      code('Tool', tool),
      code('Call', call_id),
    ],
  },
  'session.controlled': {
    summarize: ({ action, by, reason }) => row(null, joined(by, reason), { verdict: action }),
    facts: ({ action, by, reason, counter }) => [
      words('Order', CONTROL[action]),
      words('By', by),
      text('Reason', reason),
      words('Order number', countText(counter)),
    ],
  },
  'shadow.started': {
    summarize: ({ version }) =>
      row('shadow', `v${version} is evaluated alongside the version in force`),
    facts: shadowVersion,
  },
  'shadow.differed': {
    summarize: ({ version, subject, tool, rule, live, shadow }) => {
      const what = joined(tool ?? subject, rule)
      return row('shadow', `v${version} would differ on ${what}: ${shadow} instead of ${live}`)
    },
    facts: (data) => [
      ...shadowVersion(data),
      { name: 'Decided on', value: { kind: 'event', seq: data.of } },
      words('About', data.subject),
      code('Tool', data.tool),
      code('Rule', data.rule),
      words('In force', data.live),
      words('Shadow', data.shadow),
      text('Would have sent', data.text),
      words('Fidelity', data.fidelity),
      data.own_facts === true ? words('Facts', 'own look-up, possibly from a later time') : null,
      code('Call', data.call_id),
    ],
  },
  'shadow.stopped': {
    summarize: ({ version, reason }) =>
      row('shadow', `v${version} is no longer evaluated: ${reason}`),
    facts: ({ reason, ...shadow }) => [...shadowVersion(shadow), text('Reason', reason)],
  },
  'lease.extended': {
    summarize: ({ seconds }) => row('lease', `+${seconds} s`),
    facts: ({ seconds }) => [
      { name: 'Extended by', value: { kind: 'duration', ms: seconds * 1000 } },
    ],
  },
  'lease.expired': {
    summarize: ({ message }) => row('lease', joined('expired', message)),
    facts: ({ message }) => [text('Message', message)],
  },
  'config.applied': {
    summarize: ({ revision, digest }) =>
      row('config', revision === undefined ? digest : `revision ${revision} · ${digest}`),
    facts: ({ digest, revision }) => [
      code('Digest', digest),
      words('Revision', revision === undefined ? null : countText(revision)),
    ],
  },
  'config.rejected': {
    summarize: ({ reason }) => row('config', reason),
    facts: ({ reason, revision }) => [
      text('Reason', reason),
      words('Revision', revision === undefined ? null : countText(revision)),
    ],
  },
  heartbeat: {
    summarize: () => row(null, ''),
    facts: (data) => [fields('Beat', data)],
  },
  note: {
    summarize: ({ text }) => row(null, text),
    facts: ({ text: note }) => [text('Note', note)],
  },
} as const satisfies { readonly [Type in EventType]: EventKind<EventData[Type]> }

function joined(...parts: readonly (string | undefined)[]): string {
  return parts.filter(Boolean).join(' · ')
}

function findKind(type: string): EventKind<SessionEvent['data']> | null {
  // Each kind has its own data, which TypeScript cannot express for a lookup.
  return Object.hasOwn(KINDS, type) ? KINDS[type as EventType] : null
}

/** Accepts events of types that this build does not know. */
export function summarizeEvent({ type, data }: Pick<SessionEvent, 'type' | 'data'>): EventSummary {
  return findKind(type)?.summarize(data) ?? row(null, '')
}

/** null: this build does not know the type. Throws if the data does not have the expected form. */
export function listEventFacts({
  type,
  data,
}: Pick<SessionEvent, 'type' | 'data'>): readonly EventFact[] | null {
  return (
    findKind(type)
      ?.facts(data)
      .filter((fact) => fact !== null) ?? null
  )
}
