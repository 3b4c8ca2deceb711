// What newly stored shadow.* events add to the tables behind "12 of 4,031 sessions would differ". Pure.
import type { EventOf } from '@signalbox/core'
import { storableText } from '@/server/platform/sql/storable-text.ts'
import type { IncomingEvent } from './incoming.ts'
import type { ShadowDifferenceRow, ShadowSessionRow } from './shadows.sql.ts'

export interface ShadowRows {
  readonly sessions: readonly ShadowSessionRow[]
  readonly differences: readonly ShadowDifferenceRow[]
}

export function shadowRowsOf(environment: string, events: Iterable<IncomingEvent>): ShadowRows {
  const sessions: ShadowSessionRow[] = []
  const differences: ShadowDifferenceRow[] = []
  for (const { event } of events) {
    const { session: sessionId, at } = event
    if (event.type === 'shadow.started') {
      const { digest } = event.data
      sessions.push({ sessionId, environment, digest, at, stopped: null })
    }
    if (event.type === 'shadow.stopped') {
      const { digest, reason } = event.data
      sessions.push({ sessionId, environment, digest, at, stopped: storableText(reason) })
    }
    if (event.type === 'shadow.differed') differences.push(differenceOf(environment, event))
  }
  return { sessions, differences }
}

function differenceOf(
  environment: string,
  { session: sessionId, seq, at, data }: EventOf<'shadow.differed'>,
): ShadowDifferenceRow {
  const { digest, of: ofSeq, subject, tool = '', rule = '', live, shadow, text = null } = data
  return {
    ...{ sessionId, environment, seq, at, digest, ofSeq, subject, live, shadow },
    tool: storableText(tool),
    rule: storableText(rule),
    text: text === null ? null : storableText(text),
    isExact: data.fidelity === 'exact',
    ownFacts: data.own_facts === true,
  }
}
