import type {
  CompiledConfig,
  EventBody,
  Facts,
  JsonObject,
  SessionEvent,
  ToolOutcome,
} from '@signalbox/core'
import { LogRecorder } from './recorded-log.ts'

const DAY_MS = 86_400_000

export interface ToldCall {
  /** Empty: a stop. */
  readonly tool: string
  readonly args?: JsonObject
  /** Absent: no one is asked. */
  readonly answer?: 'approved' | 'denied'
  /** Absent: none are recorded. */
  readonly facts?: Facts
  /** Recorded at the end of the call. Absent: none. */
  readonly after?: Facts
  /** Absent: a call that is allowed succeeds. */
  readonly outcome?: ToolOutcome
}

/** Records a session of these calls, a second for each event, which run when they may. Session `number` begins on that day. */
export function tellCalls(
  config: CompiledConfig,
  calls: readonly ToldCall[],
  number = 0,
): readonly SessionEvent[] {
  const recorder = new LogRecorder(config)
  let at = number * DAY_MS
  const record = (body: EventBody) => {
    at += 1000
    return recorder.record({ session: `sess_${number}`, at, ...body } as Omit<SessionEvent, 'seq'>)
  }
  const head = { ns: 'a', key: 'b', environment: 'dev', harness: { name: 'test' } }
  record({ type: 'session.started', data: { semantics: 2, ...head } })
  for (const [i, call] of calls.entries()) {
    const { tool, args = {}, answer, outcome = 'success' } = call
    const facts = call.facts === undefined ? {} : { facts: call.facts }
    if (tool === '') {
      record({ type: 'stop.attempted', data: { via: 'turn_end', ...facts } })
      continue
    }
    const named = { call_id: `c${i}`, tool }
    const asked = record({ type: 'tool.requested', data: { ...named, args, ...facts } })
    const decided =
      answer === undefined
        ? asked
        : record({ type: 'approval.decided', data: { call_id: `c${i}`, decision: answer } })
    const isAllowed = decided.some(
      ({ kind, data }) => kind === 'tool.decided' && data.decision === 'allowed',
    )
    const after = call.after === undefined ? {} : { facts: call.after }
    const ended = { ...named, outcome: isAllowed ? outcome : 'denied', ...after } as const
    record({ type: 'tool.invoked', data: ended })
  }
  record({ type: 'session.ended', data: { reason: 'completed' } })
  return recorder.log
}
