import type { SessionEvent } from '@signalbox/core'
import { parseEventLine } from '@signalbox/wire'
import { type Io, Unusable } from './io.ts'

/** Yields events in the order of each session; throws Unusable with the line number for any other order. */
export async function* readEvents(io: Io, file: string): AsyncGenerator<SessionEvent> {
  const last = new Map<string, number>()
  let number = 0
  for await (const line of io.readLines(file)) {
    number += 1
    const event = line.trim() === '' ? null : parseLogLine(line, number, file)
    if (event === null) continue
    const before = last.get(event.session) ?? 0
    if (event.seq <= before) {
      throw new Unusable(
        `${file}:${number}: event #${event.seq} comes after #${before}. Sort the log by sequence number.`,
      )
    }
    last.set(event.session, event.seq)
    yield event
  }
}

function parseLogLine(line: string, number: number, file: string): SessionEvent {
  const parsed = parseEventLine(line)
  if (!parsed.ok) {
    const { pointer, message } = parsed.problem
    throw new Unusable(`${file}:${number}${pointer === '' ? '' : ` ${pointer}`}: ${message}`)
  }
  // An event of an unknown type has the same envelope; core folds it without effect.
  return parsed.event as SessionEvent
}
