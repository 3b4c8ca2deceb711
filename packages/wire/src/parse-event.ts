// Never throws.
import type { Problem, SessionEvent } from '@signalbox/core'
import { byteLength } from './byte-length.ts'
import { EventV1, isKnownEventType, type UnknownEvent, UnknownEventV1 } from './event-v1.ts'
import { lostNameProblem, numberProblem, toProblems } from './issue-sentence.ts'
import { lostName } from './lost-name.ts'
import { MAX_EVENT_BYTES } from './names.ts'
import { isTooDeep, MAX_DEPTH } from './nesting.ts'
import { tooLargeNumber } from './too-large-number.ts'

export type ParsedEvent =
  | { readonly ok: true; readonly known: true; readonly event: SessionEvent }
  | { readonly ok: true; readonly known: false; readonly event: UnknownEvent }
  | { readonly ok: false; readonly problem: Problem }

/** True only for events that `EventV1` accepts. False leaves the decision to the schema, which also names the fault. */
type IsValidEvent = (value: unknown, type: string) => value is SessionEvent

const leaveToSchema: IsValidEvent = (_): _ is SessionEvent => false

function refuse(code: string, message: string): ParsedEvent {
  return { ok: false, problem: { pointer: '', code, severity: 'error', message } }
}

/** `isValid`: a faster check than the schema's, for receivers of many lines. Its events are not copied. */
export function parseEventLine(line: string, isValid = leaveToSchema): ParsedEvent {
  // The UTF-8 form has at least as many bytes as the text has UTF-16 units, and at most three times as many.
  if (
    line.length > MAX_EVENT_BYTES ||
    (line.length * 3 > MAX_EVENT_BYTES && byteLength(line) > MAX_EVENT_BYTES)
  ) {
    return refuse(
      'too_large',
      'The line is longer than 256 KiB. Truncate long outputs before sending.',
    )
  }
  if (isTooDeep(line)) {
    return refuse(
      'too_deep',
      `The event is nested deeper than ${MAX_DEPTH}. Send deeper values as text.`,
    )
  }
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return refuse('syntax', 'The line is not JSON. Send one event per line.')
  }
  const overflow = tooLargeNumber(line, value)
  if (overflow !== null) return { ok: false, problem: numberProblem(overflow) }
  return MAY_LOSE.test(line) ? read(value, leaveToSchema, true) : read(value, isValid, false)
}

/** Matches every line with a name that could be dropped. The search for such names takes a fifth of the time of parsing. */
const MAY_LOSE = /__proto__|\\u/

export function parseEvent(value: unknown): ParsedEvent {
  return read(value, leaveToSchema, true)
}

function read(value: unknown, isValid: IsValidEvent, mayLose: boolean): ParsedEvent {
  if (
    typeof value !== 'object' ||
    value === null ||
    !('type' in value) ||
    typeof value.type !== 'string'
  ) {
    return refuse('no_type', 'An event is an object with a "type".')
  }
  if (isKnownEventType(value.type)) {
    if (isValid(value, value.type)) return { ok: true, known: true, event: value }
    const result = EventV1.safeParse(value)
    if (!result.success) return firstProblem(toProblems(result.error.issues, value))
    const lost = mayLose ? lostName(value, result.data) : null
    if (lost !== null) return { ok: false, problem: lostNameProblem(lost) }
    return { ok: true, known: true, event: result.data }
  }
  const result = UnknownEventV1.safeParse(value)
  if (result.success) return { ok: true, known: false, event: result.data }
  return firstProblem(toProblems(result.error.issues, value))
}

function firstProblem([problem]: readonly Problem[]): ParsedEvent {
  return problem === undefined
    ? refuse('invalid', 'The event is not valid.')
    : { ok: false, problem }
}
