// Places of findings, never their content, which the log does not have (specs/content-rules.md).
import type { ContentFacts, ContentFinding, SessionEvent } from '@signalbox/core'
import { toLoggedEvent } from '@/server/sessions/log/logged-event.ts'
import { type LogPlace, readLog } from '@/server/sessions/log/session-log.sql.ts'

export interface ContentPlace extends Omit<ContentFinding, 'tag' | 'property'> {
  /** Null: in the value, not in the name of a property. */
  readonly property: number | null
  /** Index of the first place of this report with the same text; null: this is the first. */
  readonly sameAs: number | null
  /** Sequence numbers of other events with the same text, ascending. */
  readonly alsoAt: readonly number[]
}

export interface ContentReport {
  readonly on: 'arguments' | 'result'
  readonly detectors: ContentFacts['detectors']
  readonly places: readonly ContentPlace[]
}

const HORIZON = 2_000
const MOST = 400
const SHOWN = 10

function readContent({ type, data }: SessionEvent): ContentFacts | undefined {
  return type === 'tool.requested' || type === 'tool.invoked' ? data.facts?.content : undefined
}

async function findTags(place: LogPlace, seq: number): Promise<ReadonlyMap<string, number[]>> {
  const range = { types: ['tool.requested', 'tool.invoked'], limit: MOST }
  const [earlier, later] = await Promise.all([
    readLog(place, { ...range, from: Math.max(1, seq - HORIZON), to: seq - 1, order: 'newest' }),
    readLog(place, { ...range, from: seq + 1, to: seq + HORIZON }),
  ])
  const seqs = new Map<string, number[]>()
  for (const row of [...earlier.toReversed(), ...later]) {
    const found = readContent(toLoggedEvent(place.sessionId, row))?.found ?? []
    for (const tag of new Set(found.map((one) => one.tag)))
      seqs.set(tag, [...(seqs.get(tag) ?? []), row.seq])
  }
  return seqs
}

/** `event`: the inspected request or result. Null: no rule inspected it. The same text is looked for up to 2,000 events away. */
export async function loadContentReport(
  place: LogPlace,
  event: SessionEvent | null,
): Promise<ContentReport | null> {
  const content = event === null ? undefined : readContent(event)
  if (event === null || content === undefined) return null
  const { found, detectors } = content
  const tags = found.length === 0 ? new Map<string, number[]>() : await findTags(place, event.seq)
  const first = new Map<string, number>()
  const places = found.map(({ tag, property = null, ...finding }, index) => {
    const sameAs = first.get(tag) ?? null
    if (sameAs === null) first.set(tag, index)
    return { ...finding, property, sameAs, alsoAt: (tags.get(tag) ?? []).slice(0, SHOWN) }
  })
  return { on: event.type === 'tool.requested' ? 'arguments' : 'result', detectors, places }
}
