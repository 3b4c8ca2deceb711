// Labeled facts of each kind of event: one table of kinds, read by the Event pane. Kinds in no table are shown as recorded. Pure.
import type {
  EventOf,
  EventType,
  Facts,
  FeedbackDelivered,
  JsonObject,
  JsonValue,
  PlanStep,
  RuleResult,
  SessionEvent,
} from '@signalbox/core'
import {
  type CheckNode,
  checkNode,
  countText,
  plural,
  TRIGGER_WORDS,
} from '@signalbox/core/analysis'
import { viaText } from '@/components/explanations/stop-headline.ts'
import { durationText } from '@/components/ui/time.tsx'

/** Display form of a fact's value. */
export type FactValue =
  | { readonly kind: 'words'; readonly text: string }
  /** A name, an id, a path. */
  | { readonly kind: 'code'; readonly text: string }
  /** Text by an agent, a tool or a user, verbatim; may be long. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'json'; readonly value: JsonValue }
  | { readonly kind: 'instant'; readonly at: number }
  | { readonly kind: 'event'; readonly seq: number }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  /** Named values: arguments, tags. */
  | { readonly kind: 'fields'; readonly fields: JsonObject }
  | { readonly kind: 'rules'; readonly rules: readonly RuleResult[] }
  | { readonly kind: 'checks'; readonly root: CheckNode }
  | { readonly kind: 'plan'; readonly steps: readonly PlanStep[] }

export interface EventFact {
  readonly name: string
  readonly value: FactValue
}

type FactsOf<Type extends EventType> = (
  data: EventOf<Type>['data'],
) => readonly (EventFact | null)[]

/** An optional part: without it there is no fact. */
function when<Part>(
  name: string,
  part: Part | null | undefined,
  told: (part: Part) => FactValue,
): EventFact | null {
  return part === null || part === undefined ? null : { name, value: told(part) }
}

const words = (name: string, text: string | null | undefined) =>
  when(name, text, (said) => ({ kind: 'words', text: said }))
const code = (name: string, text: string | null | undefined) =>
  when(name, text, (said) => ({ kind: 'code', text: said }))
const text = (name: string, said: string | null | undefined) =>
  when(name, said, (whole) => ({ kind: 'text', text: whole }))
const instant = (name: string, at: number | undefined) =>
  when(name, at, (epoch) => ({ kind: 'instant', at: epoch }))
const json = (name: string, value: JsonValue | undefined) =>
  value === undefined
    ? null
    : typeof value === 'string'
      ? text(name, value)
      : { name, value: { kind: 'json', value } as const }
const list = (name: string, items: readonly string[]) =>
  items.length === 0 ? null : { name, value: { kind: 'list', items } as const }
const fields = (name: string, values: JsonObject | undefined) =>
  when(name, values, (given) => ({ kind: 'fields', fields: given }))
const tokens = (name: string, count: number | undefined) =>
  when(name, count, (many) => ({ kind: 'words', text: plural(many, 'token') }))
const took = (name: string, ms: number | undefined) =>
  when(name, ms, (span) => ({ kind: 'words', text: durationText(span) }))

const EXISTS = { true: 'existed', false: 'did not exist', unknown: 'unknown' } as const

function fileLine([path, { exists, kind, fingerprint }]: readonly [
  string,
  NonNullable<Facts['files']>[string],
]): string {
  const content = fingerprint?.replace(/^sha256:/, '').slice(0, 8)
  return [
    `\`${path}\` ${EXISTS[`${exists}`]}`,
    kind === 'directory' ? 'a directory' : '',
    content === undefined ? '' : `content \`${content}…\``,
  ]
    .filter(Boolean)
    .join(', ')
}

type Answer = NonNullable<Facts['answers']>[string]

/** The answer in words, followed by its note. */
function answerWords(answer: Answer): string {
  switch (answer.kind) {
    case 'policy':
      return [answer.allow ? 'allowed' : 'denied', answer.reason].filter(Boolean).join(': ')
    case 'feedback':
      return answer.advice === null ? 'no advice' : `advice: ${answer.advice.summary}`
    case 'check': {
      const by = answer.by === undefined ? '' : ` (${answer.by})`
      const said = answer.complete ? 'complete' : 'not complete'
      return [`${said}${by}`, answer.feedback].filter(Boolean).join(': ')
    }
    case 'error':
      return `failed: ${answer.error}`
    case 'unavailable':
      return 'no one to ask'
    default:
      return answer satisfies never
  }
}

function lookedUp(facts: Facts | undefined): readonly (EventFact | null)[] {
  const answers = Object.entries(facts?.answers ?? {})
  return [
    list('Files', Object.entries(facts?.files ?? {}).map(fileLine)),
    list(
      'Answers',
      answers.map(([rule, answer]) => `\`${rule}\` ${answerWords(answer)}`),
    ),
  ]
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
} as const satisfies Record<EventOf<'approval.decided'>['data']['decision'], string>

const OUTCOME = {
  success: 'success',
  failure: 'failure, its changes to the session were rolled back',
  denied: 'denied, it did not run',
  invalid: 'invalid arguments, it did not run',
  unknown: 'unknown, counted as a failure',
} as const satisfies Record<EventOf<'tool.invoked'>['data']['outcome'], string>

const BYPASS = {
  deadline: 'the deadline had passed',
  budget: 'the budget was used up',
  max_blocks: 'the limit on blocked stops was reached',
} as const satisfies Record<NonNullable<EventOf<'stop.decided'>['data']['bypass']>, string>

const LAPSE = {
  guard_unreachable: 'the guard was not reachable',
  guard_timeout: 'the guard did not answer in time',
  hook_missing: 'a hook was missing',
  unsupported_version: 'the harness has an unsupported version',
} as const satisfies Record<EventOf<'enforcement.lapsed'>['data']['code'], string>

const shadowVersion = ({ version, digest }: EventOf<'shadow.started'>['data']) => [
  words('Version', `v${version}`),
  code('Digest', digest),
]

const FACTS: { readonly [Type in EventType]: FactsOf<Type> } = {
  'session.started': ({ harness, budget, capabilities, ...data }) => [
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
    // Spread, because an interface is no index of values to the compiler.
    fields('Harness can', capabilities === undefined ? undefined : { ...capabilities }),
  ],
  'session.ended': ({ reason, error, output }) => [
    words('Reason', reason),
    text('Error', error),
    json('Output', output),
  ],
  'prompt.rendered': ({ prompt }) => [code('Prompt', prompt)],
  'prompt.executed': ({ prompt }) => [code('Prompt', prompt)],
  'tool.requested': ({ tool, args, agent, facts, call_id }) => [
    code('Tool', tool),
    fields('Parameters', args),
    code('Sub-agent', agent),
    ...lookedUp(facts),
    code('Call', call_id),
  ],
  'approval.requested': ({ tool, rules, expires_at, call_id }) => [
    code('Tool', tool),
    list('Asked by', rules.map(coded)),
    instant('Waits until', expires_at),
    code('Call', call_id),
  ],
  'approval.decided': ({ decision, by, note, call_id }) => [
    words('Answer', APPROVAL[decision]),
    words('By', by),
    text('Note to the agent', note),
    code('Call', call_id),
  ],
  'tool.decided': ({ tool, reason, rules, call_id }) => [
    code('Tool', tool),
    text('Message to the agent', reason),
    rules.length === 0
      ? words('Rules', 'none applies to this call')
      : { name: 'Rules', value: { kind: 'rules', rules } },
    code('Call', call_id),
  ],
  'tool.invoked': ({ tool, outcome, error, output, agent, facts, call_id }) => [
    code('Tool', tool),
    words('Outcome', OUTCOME[outcome]),
    text('Error', error),
    json('Result', output),
    code('Sub-agent', agent),
    ...lookedUp(facts),
    code('Call', call_id),
  ],
  'feedback.delivered': (data) => [
    text('Says', data.summary),
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
  'feedback.failed': ({ provider, error }) => [code('Provider', provider), text('Error', error)],
  'plan.updated': ({ steps }) => [{ name: 'Plan', value: { kind: 'plan', steps } }],
  'file.observed': ({ path, facts }) => [code('Path', path), ...lookedUp(facts)],
  'usage.recorded': ({ evaluation_id, input_tokens, output_tokens, total_tokens }) => [
    tokens('Input', input_tokens),
    tokens('Output', output_tokens),
    tokens('Total', total_tokens ?? input_tokens + output_tokens),
    code('Evaluation', evaluation_id),
  ],
  'stop.attempted': (data) => [
    words('Kind', viaText(data.via)),
    code('Stop reason', data.stop_reason),
    text('Last message', data.last_message),
    json('Output', data.output),
    code('Sub-agent', data.agent),
    when('Harness allows', data.harness_max_blocks, (many) => ({
      kind: 'words',
      text: `${plural(many, 'blocked stop')} in a row`,
    })),
    ...lookedUp(data.facts),
  ],
  'stop.decided': ({ attempt, bypass, prior_blocks, message, check }) => [
    words('Attempt', countText(attempt)),
    words('Bypassed because', bypass === undefined ? null : BYPASS[bypass]),
    words('Blocked before', countText(prior_blocks)),
    when('Checks', check, (root) => ({ kind: 'checks', root: checkNode(root) })),
    text('Message to the agent', message),
  ],
  'completion.overridden': ({ cause, attempt }) => [
    text('Cause', cause),
    words('Attempt', attempt === undefined ? null : countText(attempt)),
  ],
  'enforcement.lapsed': ({ code: lapse, detail, tool, call_id }) => [
    words('What', LAPSE[lapse]),
    text('Seen', detail),
    code('Tool', tool),
    code('Call', call_id),
  ],
  'shadow.started': shadowVersion,
  'shadow.differed': (data) => [
    ...shadowVersion(data),
    { name: 'Decided on', value: { kind: 'event', seq: data.of } },
    words('About', data.subject),
    code('Tool', data.tool),
    code('Rule', data.rule),
    words('In force', data.live),
    words('Shadow', data.shadow),
    text('Would have said', data.text),
    words('Fidelity', data.fidelity),
    data.own_facts === true ? words('Facts', 'own look-up, possibly from a later time') : null,
    code('Call', data.call_id),
  ],
  'shadow.stopped': ({ reason, ...shadow }) => [...shadowVersion(shadow), text('Reason', reason)],
  'lease.extended': ({ seconds }) => [took('Extended by', seconds * 1000)],
  'lease.expired': ({ message }) => [text('Message', message)],
  'config.applied': ({ digest, revision }) => [
    code('Digest', digest),
    words('Revision', revision === undefined ? null : countText(revision)),
  ],
  'config.rejected': ({ reason, revision }) => [
    text('Reason', reason),
    words('Revision', revision === undefined ? null : countText(revision)),
  ],
  heartbeat: (data) => [fields('Beat', data)],
  note: ({ text: note }) => [text('Note', note)],
}

function coded(name: string): string {
  return `\`${name}\``
}

function isListed(type: string): type is EventType {
  return Object.hasOwn(FACTS, type)
}

function ofKind<Type extends EventType>(type: Type, data: EventOf<Type>['data']) {
  return FACTS[type](data)
}

export interface StoredEvent {
  readonly type: string
  /** JSON text. */
  readonly data: string
}

/** In the order in which they are read; null: of a type that this build does not know, or of another form than it knows. */
export function eventFacts({ type, data }: StoredEvent): readonly EventFact[] | null {
  if (!isListed(type)) return null
  // Accepted by the wire schema, unless it was stored by a build that did not know the type yet.
  const event = { type, data: JSON.parse(data) } as Pick<SessionEvent, 'type' | 'data'>
  try {
    return ofKind(event.type, event.data).filter((fact) => fact !== null)
  } catch {
    return null
  }
}

/** The facts of each event; a fact that the title or an earlier event already shows is left out. */
export function listRowFacts(
  events: readonly StoredEvent[],
  title: string,
): readonly (readonly EventFact[] | null)[] {
  const told = new Set<string>()
  return events.map((event) => {
    const facts = eventFacts(event)
    return (
      facts?.filter((fact) => {
        const said = JSON.stringify(fact)
        const isNew = !told.has(said) && !(fact.value.kind === 'text' && fact.value.text === title)
        told.add(said)
        return isNew
      }) ?? null
    )
  })
}
