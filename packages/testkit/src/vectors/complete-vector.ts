import type { ConfigDocument, Effect, SessionEvent } from '@signalbox/core'
import { ConfigV1, parseEvent } from '@signalbox/wire'
import type { FoldVector } from './vector-file.ts'

const SESSION = 'sess_vector'
const STARTED = { ns: 'v', key: 'p', environment: 'test', harness: { name: 'vectors' } }

/** Throws when the wire schema rejects the document. */
export function completeConfig(config: FoldVector['config']): ConfigDocument {
  const parsed = ConfigV1.safeParse({ schema_version: 1, ns: 'v', key: 'p', ...config })
  if (parsed.success) return parsed.data
  throw new Error(`the wire refuses the config: ${parsed.error.message}`)
}

/** Throws when the wire schema rejects an event or does not know its type. */
export function completeEvents(events: FoldVector['events']): readonly SessionEvent[] {
  let at = 0
  return events.map((event, i) => {
    at = event.at ?? at
    const data = event.type === 'session.started' ? { ...STARTED, ...event.data } : event.data
    return parseVectorEvent({ session: SESSION, seq: i + 1, at, type: event.type, data })
  })
}

function parseVectorEvent(value: object): SessionEvent {
  const parsed = parseEvent(value)
  if (parsed.ok && parsed.known) return parsed.event
  const problem = parsed.ok
    ? 'its type is not known'
    : `${parsed.problem.pointer} ${parsed.problem.message}`
  throw new Error(`the wire refuses ${JSON.stringify(value)}: ${problem}`)
}

/** Reason why an effect cannot be recorded as an event; null: it can, or it is an anomaly, which is not recorded. */
export function recordingProblem(effect: Effect): string | null {
  if (effect.kind === 'anomaly') return null
  const data =
    effect.kind === 'feedback.delivered' ? { ...effect.data, delivery: 'none' } : effect.data
  const parsed = parseEvent({ session: SESSION, seq: 1, at: 0, type: effect.kind, data })
  if (!parsed.ok) return `${effect.kind}${parsed.problem.pointer} ${parsed.problem.message}`
  return null
}
