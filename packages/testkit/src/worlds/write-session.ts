import type { FileFact, JsonObject, SessionEvent } from '@signalbox/core'
import type { EventBody } from '@signalbox/core/analysis'
import { type LearnCounts, type LearnerOptions, openLearner } from '@signalbox/core/learn'

export interface WrittenCall {
  readonly tool: string
  readonly args?: JsonObject
  /** Absent: success. */
  readonly outcome?: 'success' | 'failure' | 'unknown' | 'invalid'
  /** Absent: allowed. */
  readonly decision?: 'allowed' | 'denied'
  /** Seconds before the call. Absent: 1. */
  readonly after?: number
  /** Fact about the file of the argument `path` at the request, and with the result. Absent: none is recorded. */
  readonly found?: FileFact
  readonly left?: FileFact
}

/** Text: a call of this tool without arguments. */
export type SessionStep = string | WrittenCall | EventBody

const START = 1_700_000_000_000

let written = 0

/** The log of a new session that no rule governs: calls one after another, and events between them. It ends with a stop that passes. */
export function writeSession(
  steps: readonly SessionStep[],
  started: Partial<Extract<EventBody, { type: 'session.started' }>['data']> = {},
): readonly SessionEvent[] {
  written += 1
  const session = `sess_written${written}`
  const head = { ns: 'a', key: 'b', environment: 'dev', harness: { name: 'x' } }
  const log: SessionEvent[] = []
  let at = START
  const append = (body: EventBody) => {
    // The body and the envelope of one type make an event of this type.
    log.push({ ...body, session, seq: log.length + 1, at } as SessionEvent)
  }
  append({ type: 'session.started', data: { semantics: 2, ...head, ...started } })
  for (const step of [...steps, ...writeStop()]) {
    if (typeof step === 'object' && 'type' in step) append(step)
    else {
      const call = typeof step === 'string' ? { tool: step } : step
      at += (call.after ?? 1) * 1000
      for (const body of toBodies(call, `c${log.length}`)) append(body)
    }
  }
  return log
}

/** So many sessions of the same steps. */
export function writeSessions(
  count: number,
  steps: readonly SessionStep[],
): readonly (readonly SessionEvent[])[] {
  return Array.from({ length: count }, () => writeSession(steps))
}

function toBodies(call: WrittenCall, id: string): readonly EventBody[] {
  const { tool, args = {}, outcome = 'success', decision = 'allowed', found, left } = call
  const named = { call_id: id, tool }
  const toFacts = (fact: FileFact | undefined) =>
    fact === undefined ? {} : { facts: { files: { [String(args['path'])]: fact } } }
  const ended = decision === 'denied' ? 'denied' : outcome
  return [
    { type: 'tool.requested', data: { ...named, args, ...toFacts(found) } },
    { type: 'tool.decided', data: { ...named, decision, reason: null, rules: [] } },
    { type: 'tool.invoked', data: { ...named, outcome: ended, ...toFacts(left) } },
  ]
}

type StopData = Extract<EventBody, { type: 'stop.decided' }>['data']
type AttemptData = Extract<EventBody, { type: 'stop.attempted' }>['data']

/** A stop, which no checker judges where nothing else is said. */
export function writeStop(
  decided: Partial<StopData> = {},
  attempted: Partial<AttemptData> = {},
): readonly EventBody[] {
  return [
    { type: 'stop.attempted', data: { via: 'turn_end', ...attempted } },
    {
      type: 'stop.decided',
      data: {
        attempt: 1,
        prior_blocks: 0,
        verdict: 'no_checker',
        code: 'stop.no_checker',
        params: {},
        message: null,
        check: null,
        ...decided,
      },
    },
  ]
}

export function learnSessions(
  logs: readonly (readonly SessionEvent[])[],
  options?: LearnerOptions,
): LearnCounts {
  const learner = openLearner(options)
  for (const log of logs) learner.add(log)
  return learner.counts()
}
