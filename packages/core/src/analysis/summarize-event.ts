// An event as one row of a list: verdict, subject, one line of text, duration. Computed once, when it is stored.

import { plural } from '../model/count-text.ts'
import type { StopDecision, ToolDecision } from '../model/effect.ts'
import type { SessionEvent, ToolRequested } from '../model/event.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts'
import { decisionSentence, stopSentence } from './sentences.ts'

/** One line about an event, for lists. */
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

/** The first argument that says most: a path or a command, else the first string. */
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

/** Of any event, also of a type that this build does not know. */
export function summarizeEvent(event: SessionEvent): EventSummary {
  switch (event.type) {
    case 'session.started':
      return row(null, `${event.data.ns}/${event.data.key} in ${event.data.environment}`)
    case 'session.ended':
      return row(null, event.data.error ?? event.data.reason)
    case 'prompt.rendered':
    case 'prompt.executed':
      return row(event.data.prompt, event.type === 'prompt.rendered' ? 'rendered' : 'executed')
    case 'tool.requested':
      return row(event.data.tool, requestLine(event.data))
    case 'approval.requested':
      return row(event.data.tool, 'waits for approval')
    case 'approval.decided':
      return row(
        'approval',
        [event.data.decision.replaceAll('_', ' '), event.data.by].filter(Boolean).join(' · '),
      )
    case 'tool.decided':
      return row(event.data.tool, decisionSentence(event.data), { verdict: event.data.decision })
    case 'tool.invoked':
      return row(
        event.data.tool,
        [event.data.outcome, event.data.error ?? valueLine(event.data.output)]
          .filter(Boolean)
          .join(' · '),
        {
          durationMs: event.data.duration_ms ?? null,
        },
      )
    case 'feedback.delivered':
      return row(event.data.provider, event.data.summary, { verdict: event.data.severity })
    case 'feedback.failed':
      return row(event.data.provider, event.data.error)
    case 'stop.attempted':
      return row('stop', event.data.via.replaceAll('_', ' '))
    case 'stop.decided':
      return row('stop', `${stopSentence(event.data)} · attempt ${event.data.attempt}`, {
        verdict: event.data.verdict,
      })
    default:
      return lesserEvent(event)
  }
}

function lesserEvent(event: SessionEvent): EventSummary {
  switch (event.type) {
    case 'plan.updated': {
      const done = event.data.steps.filter((step) => step.status === 'done').length
      return row('plan', `${done} of ${event.data.steps.length} done`)
    }
    case 'usage.recorded':
      return row(
        null,
        plural(
          event.data.total_tokens ?? event.data.input_tokens + event.data.output_tokens,
          'token',
        ),
      )
    case 'file.observed':
      return row(null, event.data.path)
    case 'completion.overridden':
      return row('stop', event.data.cause)
    case 'enforcement.lapsed':
      return row(event.data.tool ?? null, event.data.detail)
    case 'shadow.started':
    case 'shadow.differed':
    case 'shadow.stopped':
      return row('shadow', shadowLine(event))
    case 'lease.extended':
      return row('lease', `+${event.data.seconds} s`)
    case 'lease.expired':
      return row('lease', ['expired', event.data.message].filter(Boolean).join(' · '))
    case 'config.applied': {
      const { revision, digest } = event.data
      return row('config', revision === undefined ? digest : `revision ${revision} · ${digest}`)
    }
    case 'config.rejected':
      return row('config', event.data.reason)
    case 'note':
      return row(null, event.data.text)
    default:
      return row(null, '')
  }
}

type ShadowEvent = Extract<SessionEvent, { readonly type: `shadow.${string}` }>

function shadowLine(event: ShadowEvent): string {
  const version = `v${event.data.version}`
  switch (event.type) {
    case 'shadow.started':
      return `${version} is judged beside the version in force`
    case 'shadow.differed': {
      const { subject, tool, rule, live, shadow } = event.data
      const what = [tool ?? subject, rule].filter(Boolean).join(' · ')
      return `${version} would differ on ${what}: ${shadow} instead of ${live}`
    }
    case 'shadow.stopped':
      return `${version} is no longer judged: ${event.data.reason}`
    default:
      return event satisfies never
  }
}
