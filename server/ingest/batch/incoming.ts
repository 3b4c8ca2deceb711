import type { SessionEvent } from '@signalbox/core'
import { EVENT_SCHEMAS, parseEventLine } from '@signalbox/wire'
import * as z from 'zod/v4'
import { hashEvent } from './event-hash.ts'

export interface IncomingLine {
  readonly number: number
  readonly text: string
}

export interface IncomingEvent {
  readonly line: number
  readonly event: SessionEvent
  /** SHA-256 over the event's canonical JSON, hexadecimal. */
  readonly hash: string
  readonly dataText: string
}

/** One invalid line. `session` and `seq` are present when the line could be parsed that far. */
export interface LineProblem {
  readonly line: number
  readonly session?: string
  readonly seq?: number
  readonly code: string
  readonly detail: string
}

export interface Incoming {
  /** By session id, each in order of `seq`, each (session, seq) once. */
  readonly sessions: ReadonlyMap<string, readonly IncomingEvent[]>
  readonly problems: readonly LineProblem[]
  readonly repeats: number
  /** Length of all lines, in UTF-16 units. */
  readonly size: number
}

export function toProblem(
  { line, event }: IncomingEvent,
  code: string,
  detail: string,
): LineProblem {
  return { line, session: event.session, seq: event.seq, code, detail }
}

export function toConflictProblem(incoming: IncomingEvent): LineProblem {
  const { session, seq } = incoming.event
  const detail = `Event ${seq} of ${session} is stored with another content. The stored one stays.`
  return toProblem(incoming, 'conflict', detail)
}

/** By type, compiled when the first event of the type arrives: the check then takes a quarter of the time. */
const compiled = new Map<string, z.ZodType<SessionEvent>>()

function isValidEvent(value: unknown, type: string): value is SessionEvent {
  let schema = compiled.get(type)
  if (schema === undefined) {
    const known = EVENT_SCHEMAS.get(type)
    if (known === undefined) return false
    schema = z.compile(known)
    compiled.set(type, schema)
  }
  return schema.validate(value)
}

function read({ number: line, text }: IncomingLine): IncomingEvent | LineProblem {
  const parsed = parseEventLine(text, isValidEvent)
  if (!parsed.ok) {
    const { pointer, code, message } = parsed.problem
    return { line, code, detail: pointer === '' ? message : `${pointer}: ${message}` }
  }
  // An event of a type that this build does not know has the same envelope. Core folds it without effect, and no code here reads the data
  // of a type that it does not name.
  const event = parsed.event as SessionEvent
  return { line, event, ...hashEvent(event) }
}

export function readIncoming(lines: readonly IncomingLine[]): Incoming {
  const bySession = new Map<string, Map<number, IncomingEvent>>()
  const problems: LineProblem[] = []
  let repeats = 0
  let size = 0
  for (const line of lines) {
    size += line.text.length
    const incoming = read(line)
    if (!('event' in incoming)) {
      problems.push(incoming)
      continue
    }
    const { session, seq } = incoming.event
    const events = bySession.get(session) ?? new Map<number, IncomingEvent>()
    bySession.set(session, events)
    const earlier = events.get(seq)
    if (earlier === undefined) events.set(seq, incoming)
    else if (earlier.hash === incoming.hash) repeats += 1
    else problems.push(toConflictProblem(incoming))
  }
  const sessions = new Map(
    [...bySession].map(([id, events]) => [
      id,
      [...events.values()].sort((a, b) => a.event.seq - b.event.seq),
    ]),
  )
  return { sessions, problems, repeats, size }
}
