// Makes no decision: the log states that Signalbox enforced nothing (specs/wink-import.md).
import { omitUndefined, type SessionEvent } from '@signalbox/core'
import {
  byteLength,
  bytesHash,
  canonicalJson,
  eventHash,
  importedSessionId,
  MAX_EVENT_BYTES,
  parseEventLine,
} from '@signalbox/wire'
import { Unusable } from '../base/io.ts'
import type { DebugBundle } from './debug-bundle.ts'

interface Draft {
  /** Epoch milliseconds. */
  readonly at: number
  readonly type: SessionEvent['type']
  readonly data: object
}

const NOT_ENFORCED =
  'The session was imported from a WINK debug bundle. Signalbox enforced nothing in it.'

/** A bundle gets the same session id at each import. */
export function toSessionId({ manifest }: DebugBundle): string {
  return importedSessionId(bytesHash(new TextEncoder().encode(manifest.bundle_id)))
}

/** Returns chained NDJSON lines. Throws Unusable with the event and field when the bundle contains a value that no event allows. */
export function importedLog(bundle: DebugBundle, environment: string): readonly string[] {
  const session = toSessionId(bundle)
  const lines: string[] = []
  let prev: string | null = null
  let at = 0
  for (const draft of buildDrafts(bundle, environment)) {
    // Times of the reference may be unordered; those of a log may not.
    at = Math.max(at, draft.at)
    const envelope = { session, seq: lines.length + 1, at, type: draft.type }
    const link = prev === null ? {} : { prev }
    const whole = { ...envelope, data: draft.data, ...link }
    const event = isTooLong(whole) ? { ...whole, data: shortened(draft.data) } : whole
    const line = canonicalJson(event)
    const parsed = parseEventLine(line)
    if (!parsed.ok) {
      const { pointer, message } = parsed.problem
      throw new Unusable(`The bundle cannot be imported: ${draft.type} ${pointer}: ${message}`)
    }
    prev = eventHash(event)
    lines.push(line)
  }
  return lines
}

function isTooLong(event: object): boolean {
  return byteLength(canonicalJson(event)) > MAX_EVENT_BYTES
}

const countJsonBytes = (value: unknown): number => byteLength(JSON.stringify(value) ?? '')

function shortened(data: object): object {
  const long = Object.entries(data).filter(
    ([, value]) => countJsonBytes(value) > MAX_EVENT_BYTES / 4,
  )
  const marks = long.map(([name, value]) => [name, { $truncated: countJsonBytes(value) }] as const)
  return { ...data, ...Object.fromEntries(marks) }
}

function buildDrafts(bundle: DebugBundle, environment: string): readonly Draft[] {
  const { manifest, plan, error } = bundle
  const { started_at: start, ended_at: end, status } = manifest.request
  const between = [...promptDrafts(bundle), ...callDrafts(bundle), ...feedbackDrafts(bundle)]
  // The sort is stable: at equal times, a call's request stays before its result.
  const ordered = between.toSorted((one, other) => one.at - other.at)
  const last = Math.max(end, ordered.at(-1)?.at ?? end)
  return [
    { at: start, type: 'session.started', data: toStartData(bundle, environment) },
    { at: start, type: 'enforcement.lapsed', data: { code: 'hook_missing', detail: NOT_ENFORCED } },
    ...ordered,
    ...(plan === null ? [] : [{ at: last, type: 'plan.updated' as const, data: toPlanData(plan) }]),
    {
      at: last,
      type: 'session.ended',
      data:
        status === 'success'
          ? { reason: 'completed' }
          : { reason: 'failed', ...omitUndefined({ error: error?.slice(0, 10_000) }) },
    },
  ]
}

function toStartData({ manifest, left }: DebugBundle, environment: string): object {
  const { prompt, request, build, bundle_id } = manifest
  const kept = left.map(({ name, count }) => `${name} (${count})`).join(', ')
  const version = build?.version ?? ''
  return {
    ns: prompt.ns,
    key: prompt.key,
    environment,
    harness: { name: 'wink', ...(version === '' ? {} : { version: version.slice(0, 300) }) },
    tags: {
      imported: 'WINK debug bundle, not enforced by Signalbox',
      wink_bundle: bundle_id,
      wink_request: request.request_id,
      ...omitUndefined({
        wink_session: request.session_id ?? undefined,
        wink_adapter: prompt.adapter || undefined,
        not_imported: kept === '' ? undefined : kept.slice(0, 1000),
      }),
    },
  }
}

function promptDrafts({ rendered, executed, manifest }: DebugBundle): readonly Draft[] {
  const { ns, key } = manifest.prompt
  const toPromptName = (name: string | null | undefined): string =>
    (name || `${ns}:${key}`).slice(0, 300)
  return [
    ...rendered.map(({ created_at: at, prompt_name: name }): Draft => {
      return { at, type: 'prompt.rendered', data: { prompt: toPromptName(name) } }
    }),
    ...executed.flatMap(({ created_at: at, prompt_name, usage, event_id }, index): Draft[] => {
      const executedAt: Draft = {
        at,
        type: 'prompt.executed',
        data: { prompt: toPromptName(prompt_name) },
      }
      if (usage == null) return [executedAt]
      const { input_tokens: input, output_tokens: output } = usage
      const evaluation_id = event_id || `evaluation-${index + 1}`
      const data = { evaluation_id, input_tokens: input ?? 0, output_tokens: output ?? 0 }
      return [executedAt, { at, type: 'usage.recorded', data }]
    }),
  ]
}

/** The reference records a call when it ends, so request and result have the same time. */
function callDrafts({ calls }: DebugBundle): readonly Draft[] {
  const seen = new Set<string>()
  return calls.flatMap(
    ({ created_at: at, name: tool, params, result, call_id }, index): Draft[] => {
      const named = call_id || `call-${index + 1}`
      const id = seen.has(named) ? `${named.slice(0, 280)}-${index + 1}` : named
      seen.add(id)
      const call = { call_id: id, tool }
      const output = result === undefined || result === null ? {} : { output: result }
      return [
        { at, type: 'tool.requested', data: { ...call, args: wrapAsObject(params) } },
        {
          at,
          type: 'tool.invoked',
          data: { ...call, outcome: toImportedOutcome(result), ...output },
        },
      ]
    },
  )
}

function wrapAsObject(value: unknown): object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  return value === null || value === undefined ? {} : { value }
}

/** The reference records a refusal by a policy as a failure, so the two cannot be distinguished. */
function toImportedOutcome(result: unknown): 'success' | 'failure' | 'unknown' {
  const { success } = { success: undefined, ...wrapAsObject(result) }
  return success === true ? 'success' : success === false ? 'failure' : 'unknown'
}

/** The reference records neither rule nor call of its feedback, so feedback becomes a note, not a delivery. */
function feedbackDrafts({ feedback }: DebugBundle): readonly Draft[] {
  return feedback.map(({ timestamp: at, provider_name: name, severity, summary }) => {
    const text = `Feedback of ${name} (${severity ?? 'info'}): ${summary}`
    return { at, type: 'note', data: { text: text.slice(0, 10_000) } }
  })
}

function toPlanData({ steps }: NonNullable<DebugBundle['plan']>): object {
  return {
    steps: steps.map(({ step_id, title, status }) => ({
      ...(step_id == null ? {} : { id: String(step_id) }),
      title: title.slice(0, 2000),
      ...(status ? { status } : {}),
    })),
  }
}
