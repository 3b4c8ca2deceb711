// Only events that were not stored before may be passed, so that counters stay exact for repeated batches. Pure.
import type { EventOf, SessionEvent } from '@signalbox/core'
import { type Breach, lapseBreach, summarizeEvent } from '@signalbox/core/analysis'
import { toStopId } from '@signalbox/wire'
import { storableText } from '@/server/platform/sql/storable-text.ts'
import { enforcementAtStart } from './enforcement.ts'
import type { EventRow } from './event-rows.sql.ts'
import type { IncomingEvent } from './incoming.ts'
import type { SessionRow } from './session-rows.sql.ts'
import {
  type Attempt,
  type DecidedStop,
  findLateAttempts,
  isFinalVerification,
  isStopAttempt,
  pairStops,
} from './stop-attempts.ts'

/** Namespace of a session whose session.started is not stored. */
export const UNKNOWN_PROMPT = '?'

const INT4_MAX = 2_147_483_647

/** Clamps a number from an event (a duration, tokens, plan size) to what an int column holds. */
export function storableInt(value: number): number {
  return Math.max(-INT4_MAX, Math.min(INT4_MAX, Math.round(value)))
}

function textOrNull(text: string | null): string | null {
  return text === null ? null : storableText(text)
}

/** Null: the harness uses the name that rules use. */
function findNativeTool(event: SessionEvent): string | null {
  const native = event.type === 'tool.requested' ? event.data.native_tool : undefined
  return native === undefined || native === '' ? null : storableText(native)
}

export function toStoredEventRow({ event, hash, dataText }: IncomingEvent): EventRow {
  const { verdict, subject, summary, durationMs } = summarizeEvent(event)
  return {
    sessionId: event.session,
    seq: event.seq,
    at: event.at,
    type: storableText(event.type),
    verdict,
    subject: textOrNull(subject),
    summary: storableText(summary),
    durationMs: durationMs === null ? null : storableInt(durationMs),
    nativeTool: findNativeTool(event),
    data: dataText,
    config: textOrNull(event.config ?? null),
    trace: textOrNull(event.trace ?? null),
    prev: event.prev ?? null,
    hash,
  }
}

/** Mutable only while the events of one session are applied. */
type Draft = { -readonly [Name in keyof SessionRow]: SessionRow[Name] }

export interface Projection {
  readonly row: SessionRow
  readonly stops: readonly DecidedStop[]
  readonly lapses: readonly Breach[]
  /** True: these events brought the session.started of a row whose earlier stops, denials and approvals lack the prompt. */
  readonly namesPrompt: boolean
  readonly lateAttempts: readonly Attempt[]
}

function applyStarted(row: Draft, event: EventOf<'session.started'>): void {
  const { data } = event
  row.ns = storableText(data.ns)
  row.key = storableText(data.key)
  row.runtimeId = textOrNull(data.runtime ?? null)
  row.configDigest = textOrNull(event.config ?? null)
  row.configVersion = data.config_version === undefined ? null : storableInt(data.config_version)
  row.harness = JSON.stringify(data.harness)
  row.startedAt = event.at
  row.deadlineAt = data.deadline_at ?? null
  const limit = data.budget?.max_total_tokens
  row.tokenLimit = limit === undefined ? null : storableInt(limit)
  row.capabilities = data.capabilities === undefined ? null : JSON.stringify(data.capabilities)
  row.enforcement = enforcementAtStart(row, data.capabilities ?? null)
}

/** Ignores a config.applied that is older than the stored one, because batches may arrive out of order. */
function applyConfig(row: Draft, { seq, data }: EventOf<'config.applied'>): void {
  if (seq < (row.governingSeq ?? 0)) return
  row.governingDigest = storableText(data.digest)
  row.governingSeq = seq
}

function applyFeedback(row: Draft, event: EventOf<'feedback.delivered'>): void {
  // A shadow provider only writes to the log.
  if (event.data.mode !== 'enforce') return
  row.feedback += 1
  if (event.data.severity === 'warning') row.warnings += 1
}

function isNewestStop(row: Draft, seq: number): boolean {
  const newest = /_(\d+)$/.exec(row.lastStopId ?? '')?.[1]
  return newest === undefined || seq > Number(newest)
}

function applyStop(row: Draft, stop: DecidedStop): void {
  const { data, session, seq } = stop.event
  if (isStopAttempt(stop)) {
    row.stopAttempts += 1
    if (data.verdict === 'blocked') row.stopsBlocked += 1
  }
  const id = toStopId(session, seq)
  // The final verification comes after the run: it blocks nothing, so an incomplete one replaces no stop of the agent.
  const isRefused = data.verdict === 'blocked' || data.verdict === 'error'
  const isAfter = isRefused && isFinalVerification(stop) && row.stopAttempts > 0
  if (!isAfter && isNewestStop(row, seq)) {
    row.lastStopId = id
    row.lastVerdict = data.verdict
  }
}

function applyEvent(row: Draft, event: SessionEvent): void {
  switch (event.type) {
    case 'config.applied':
      applyConfig(row, event)
      break
    case 'tool.requested':
      row.calls += 1
      break
    case 'tool.decided':
      if (event.data.decision !== 'allowed') row.denied += 1
      break
    case 'feedback.delivered':
      applyFeedback(row, event)
      break
    case 'completion.overridden':
      row.overridden += 1
      break
    case 'session.ended':
      row.endedAt = event.at
      row.endReason = event.data.reason
      break
    default:
      break
  }
}

/** The final verification is no stop attempt, so it has neither the word nor the number. */
function lastEventText(event: SessionEvent, isFinal: boolean): string {
  const { subject, summary } = summarizeEvent(event)
  const parts = isFinal
    ? ['final verification', summary.replace(/ · attempt \d+$/, '')]
    : [subject, summary]
  return storableText([event.type, ...parts].filter(Boolean).join(' · '))
}

/** `events`: newly stored, ascending. `attempt`: the newest stop.attempted stored before them, when one of them needs it. */
export function project(
  before: SessionRow,
  events: readonly IncomingEvent[],
  attempt: Attempt | null,
): Projection {
  const row: Draft = { ...before }
  const started = events.find(({ event }) => event.type === 'session.started')?.event
  if (started?.type === 'session.started') applyStarted(row, started)
  const stops = pairStops(events, attempt)
  for (const { event } of events) applyEvent(row, event)
  for (const stop of stops) applyStop(row, stop)
  const newest = events.at(-1)?.event
  if (newest !== undefined && newest.seq > before.maxSeq) {
    row.maxSeq = newest.seq
    row.lastEventAt = newest.at
    const stop = stops.find(({ event }) => event === newest)
    row.lastEventText = lastEventText(newest, stop !== undefined && isFinalVerification(stop))
  }
  const namesPrompt = started !== undefined && before.ns === UNKNOWN_PROMPT && before.maxSeq > 0
  const lapses = events.flatMap(({ event }) =>
    event.type === 'enforcement.lapsed' ? [lapseBreach(event)] : [],
  )
  const lateAttempts = findLateAttempts(events, before.maxSeq)
  return { row, stops, lapses, namesPrompt, lateAttempts }
}
