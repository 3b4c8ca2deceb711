// Gaps of the harness and breaches in the log; neither changes a decision (specs/enforcement.md).

import type { StrictnessNote } from '../kinds/base/judgment.ts'
import type { Anomaly } from '../model/effect.ts'
import type { EnforcementLapse, EventOf, RecordedCapabilities } from '../model/event.ts'
import type { JsonObject } from '../model/json.ts'

export type BreachCode =
  | Extract<Anomaly['code'], 'result_without_request' | 'ran_despite_denial'>
  | 'loosened'
  | 'maybe_loosened'
  | EnforcementLapse['code']

export interface Breach {
  readonly seq: number
  readonly code: BreachCode
  /** Tool name as in rules; null: the breach is not about one tool. */
  readonly tool: string | null
  /** Observation of the runtime, or the loosened parts; null: the code states everything. */
  readonly detail: string | null
}

const MAX_DETAIL = 300

export function lapseBreach({ seq, data }: EventOf<'enforcement.lapsed'>): Breach {
  const detail = data.detail.slice(0, MAX_DETAIL)
  return { seq, code: data.code, tool: data.tool ?? null, detail }
}

/** `seq`: event at which the anomaly was found. null: an oddity of the log that let nothing through. */
export function anomalyBreach(seq: number, { code, tool }: Anomaly): Breach | null {
  return code === 'result_without_request' || code === 'ran_despite_denial'
    ? { seq, code, tool, detail: null }
    : null
}

/** `seq`: event at which the session changed to a version that is looser or may be. null: the version is at least as strict. */
export function looserBreach(seq: number, looser: readonly StrictnessNote[]): Breach | null {
  if (looser.length === 0) return null
  const detail = looser.map(({ message }) => message).join('; ')
  // Proven notes come first.
  const isProven = looser[0]?.isUnproven !== true
  const code = isProven ? 'loosened' : 'maybe_loosened'
  return { seq, code, tool: null, detail: detail.slice(0, MAX_DETAIL) }
}

export type Severity = 'gap' | 'breach'

export interface Shortfall {
  readonly code: string
  readonly severity: Severity
  readonly params: JsonObject
  /** Sequence number of the event that shows it; null: no event does. */
  readonly seq: number | null
}

export interface EnforcementFacts {
  /** null: the host's own loop, which requests a decision before every call. */
  readonly capabilities: RecordedCapabilities | null
  /** Ascending. */
  readonly breaches: readonly Breach[]
  /** Number of breaches that are counted but not listed. Absent: none. */
  readonly unlisted?: number
}

const gap = (code: string, params: JsonObject = {}): Shortfall => ({
  code: `gap.${code}`,
  severity: 'gap',
  params,
  seq: null,
})

function listGaps(can: RecordedCapabilities): readonly Shortfall[] {
  const { ungoverned, unkept_content: unkept = [] } = can
  return [
    ...(can.on_guard_crash === 'open' ? [gap('guard_crash')] : []),
    ...(can.on_guard_timeout === 'open' ? [gap('guard_timeout')] : []),
    ...(ungoverned.length > 0 ? [gap('ungoverned', { tools: ungoverned })] : []),
    ...(can.block_stop === 'none' ? [gap('stops')] : []),
    ...(can.structured === 'post_only' ? [gap('structured_output')] : []),
    ...(unkept.length > 0 ? [gap('content', { rules: unkept })] : []),
    ...(can.failure === 'none' ? [gap('failures')] : []),
    ...(can.inject === 'none' ? [gap('feedback')] : []),
  ]
}

function toShortfall({ seq, code, tool, detail }: Breach): Shortfall {
  return { code: `breach.${code}`, severity: 'breach', params: { tool, detail }, seq }
}

/** Breaches in order of their events, then gaps, the most severe first. Empty: the session is fully enforced. */
export function enforcementGaps(facts: EnforcementFacts): readonly Shortfall[] {
  const { capabilities, breaches, unlisted = 0 } = facts
  const rest: Shortfall = {
    code: 'breach.unlisted',
    severity: 'breach',
    params: { count: unlisted },
    seq: null,
  }
  return [
    ...breaches.map(toShortfall),
    ...(unlisted > 0 ? [rest] : []),
    ...(capabilities === null ? [] : listGaps(capabilities)),
  ]
}
