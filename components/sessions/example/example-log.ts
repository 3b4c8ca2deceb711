// A session that a search found has events only; the decisions that belong to them are those of the engine.
import {
  type ConfigDocument,
  compileConfig,
  type Effect,
  initialState,
  type SessionEvent,
  step,
} from '@signalbox/core'
import { summarizeEvent } from '@signalbox/core/analysis'
import { celExpressions } from '@signalbox/core/expression'
import type { IndexEntry } from '@/server/sessions/log/event-index.sql.ts'
import type { Moment } from '../page/state/timeline.ts'

export interface ExampleLog {
  readonly events: readonly SessionEvent[]
  readonly entries: readonly IndexEntry[]
  /** By sequence number: the state after the event; 0: the beginning. */
  readonly moments: readonly Moment[]
}

const RECORDED = ['tool.decided', 'content.decided', 'approval.requested', 'stop.decided'] as const

/** Names the config for parts of the page that show which one is in force. */
const EXAMPLE_DIGEST = 'example'

/** Null: this page is older than the config and cannot compile it. */
export function foldExample(
  document: ConfigDocument,
  moves: readonly SessionEvent[],
): ExampleLog | null {
  const compiled = compileConfig(document, { expressions: celExpressions(), customTypes: 'any' })
  if (!compiled.ok) return null
  const { config } = compiled
  const events: SessionEvent[] = []
  let state = initialState(config.promptName)
  const toMoment = (): Moment => ({
    state,
    config,
    digest: EXAMPLE_DIGEST,
    harnessMaxBlocks: null,
  })
  const moments = [toMoment()]
  const record = (event: SessionEvent): readonly Effect[] => {
    const stepped = step(config, state, event)
    state = stepped.state
    events.push(event)
    moments.push(toMoment())
    return stepped.effects
  }
  for (const move of moves) {
    const effects = record({ ...move, seq: events.length + 1 })
    for (const { kind, data } of effects) {
      const type = RECORDED.find((one) => one === kind)
      if (type === undefined) continue
      const { session, at } = move
      // The data of these effects is that of the event of the same name.
      record({ session, at, seq: events.length + 1, type, data } as SessionEvent)
    }
  }
  return { events, entries: events.map(toEntry), moments }
}

function toEntry(event: SessionEvent): IndexEntry {
  const { verdict, subject, summary, durationMs } = summarizeEvent(event)
  return [event.seq, event.at, event.type, verdict, subject, summary, durationMs, null]
}
