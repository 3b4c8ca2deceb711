// An event as one row of a list: verdict, subject, one line of text, duration. Computed once, when it is stored.

import { plural } from '../model/count-text.ts'
import type { StopDecision, ToolDecision } from '../model/effect.ts'
import type { EventData, EventType, SessionEvent, ToolRequested } from '../model/event.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts'
import { decisionSentence, stopSentence } from './sentences.ts'

/** One-line summary of an event, for lists. */
export interface EventSummary {
  /** A decision's or feedback's verdict word; null for events without one. */
  readonly verdict:
    | ToolDecision['decision']
    | StopDecision['verdict']
    | 'info'
    | 'caution'
    | 'warning'
    | null
  /** Tool, id of the provider or kind of stop; null when there is none. */
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

/** A file of the workspace by its path in there, which the facts name; harnesses often give absolute paths. */
function requestLine({ args, facts }: ToolRequested): string {
  const line = argumentsLine(args)
  const known = Object.keys(facts?.files ?? {})
  return known.find((file) => line.endsWith(`/${file}`)) ?? line
}

/** The most informative argument: a path or a command, else the first string. */
function argumentsLine(args: JsonObject): string {
  for (const name of ['path', 'file_path', 'command', 'cmd', 'pattern', 'url']) {
    const value = Object.hasOwn(args, name) ? args[name] : undefined
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

interface Summarize<Data> {
  summarize(data: Data): EventSummary
}

const SUMMARIES = {
  'session.started': {
    summarize: ({ ns, key, environment }) => row(null, `${ns}/${key} in ${environment}`),
  },
  'session.ended': { summarize: ({ error, reason }) => row(null, error ?? reason) },
  'prompt.rendered': { summarize: ({ prompt }) => row(prompt, 'rendered') },
  'prompt.executed': { summarize: ({ prompt }) => row(prompt, 'executed') },
  'tool.requested': { summarize: (data) => row(data.tool, requestLine(data)) },
  'approval.requested': { summarize: ({ tool }) => row(tool, 'waits for approval') },
  'approval.decided': {
    summarize: ({ decision, by }) => row('approval', joined(decision.replaceAll('_', ' '), by)),
  },
  'tool.decided': {
    summarize: (data) => row(data.tool, decisionSentence(data), { verdict: data.decision }),
  },
  'tool.invoked': {
    summarize: ({ tool, outcome, error, output, duration_ms: durationMs = null }) =>
      row(tool, joined(outcome, error ?? valueLine(output)), { durationMs }),
  },
  'feedback.delivered': {
    summarize: ({ provider, summary, severity }) => row(provider, summary, { verdict: severity }),
  },
  'feedback.failed': { summarize: ({ provider, error }) => row(provider, error) },
  'plan.updated': {
    summarize: ({ steps }) => {
      const done = steps.filter(({ status }) => status === 'done').length
      return row('plan', `${done} of ${steps.length} done`)
    },
  },
  'file.observed': { summarize: ({ path }) => row(null, path) },
  'usage.recorded': {
    summarize: ({ input_tokens, output_tokens, total_tokens = input_tokens + output_tokens }) =>
      row(null, plural(total_tokens, 'token')),
  },
  'stop.attempted': { summarize: ({ via }) => row('stop', via.replaceAll('_', ' ')) },
  'stop.decided': {
    summarize: (data) =>
      row('stop', `${stopSentence(data)} · attempt ${data.attempt}`, { verdict: data.verdict }),
  },
  'completion.overridden': { summarize: ({ cause }) => row('stop', cause) },
  'enforcement.lapsed': { summarize: ({ tool = null, detail }) => row(tool, detail) },
  'shadow.started': {
    summarize: ({ version }) => row('shadow', `v${version} is judged beside the version in force`),
  },
  'shadow.differed': {
    summarize: ({ version, subject, tool, rule, live, shadow }) => {
      const what = joined(tool ?? subject, rule)
      return row('shadow', `v${version} would differ on ${what}: ${shadow} instead of ${live}`)
    },
  },
  'shadow.stopped': {
    summarize: ({ version, reason }) => row('shadow', `v${version} is no longer judged: ${reason}`),
  },
  'lease.extended': { summarize: ({ seconds }) => row('lease', `+${seconds} s`) },
  'lease.expired': { summarize: ({ message }) => row('lease', joined('expired', message)) },
  'config.applied': {
    summarize: ({ revision, digest }) =>
      row('config', revision === undefined ? digest : `revision ${revision} · ${digest}`),
  },
  'config.rejected': { summarize: ({ reason }) => row('config', reason) },
  heartbeat: { summarize: () => row(null, '') },
  note: { summarize: ({ text }) => row(null, text) },
} as const satisfies { readonly [Type in EventType]: Summarize<EventData[Type]> }

function joined(...parts: readonly (string | undefined)[]): string {
  return parts.filter(Boolean).join(' · ')
}

/** Also accepts an event of a type that this build does not know. */
export function summarizeEvent({ type, data }: SessionEvent): EventSummary {
  if (!Object.hasOwn(SUMMARIES, type)) return row(null, '')
  const known: Summarize<SessionEvent['data']> = SUMMARIES[type]
  return known.summarize(data)
}
