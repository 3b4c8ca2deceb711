import type { SessionEvent } from '@signalbox/core'
import { canonicalJson, toDecisionId } from '@signalbox/wire'
import { toLoggedEvent } from '@/server/sessions/log/logged-event.ts'
import { type LogPlace, readLog } from '@/server/sessions/log/session-log.sql.ts'

export interface SameCall {
  readonly id: string
  readonly seq: number
  readonly at: number
  readonly decision: 'allowed' | 'denied' | 'error'
  /** Sentence for the agent; null: the call was allowed. */
  readonly reason: string | null
}

const HORIZON = 2_000
const MOST = 400
const SHOWN = 10

interface Wanted {
  readonly seq: number
  readonly tool: string
  readonly canonicalTool: string
  readonly args: unknown
}

function callsIn(events: readonly SessionEvent[], wanted: Wanted, session: string): SameCall[] {
  const args = canonicalJson(wanted.args)
  const same = new Set<string>()
  for (const { type, data } of events) {
    if (type !== 'tool.requested' || data.tool !== wanted.tool) continue
    if (canonicalJson(data.args) === args) same.add(data.call_id)
  }
  return events.flatMap((event): readonly SameCall[] => {
    if (event.type !== 'tool.decided' || !same.has(event.data.call_id)) return []
    const { decision, reason } = event.data
    return event.seq === wanted.seq
      ? []
      : [{ id: toDecisionId(session, event.seq), seq: event.seq, at: event.at, decision, reason }]
  })
}

/** Ascending; at most ten before and ten after. */
export async function loadSameCalls(place: LogPlace, wanted: Wanted): Promise<readonly SameCall[]> {
  const range = {
    types: ['tool.requested', 'tool.decided'],
    subjects: [wanted.tool, wanted.canonicalTool],
    limit: MOST,
  }
  const [earlier, later] = await Promise.all([
    readLog(place, {
      ...range,
      from: Math.max(1, wanted.seq - HORIZON),
      to: wanted.seq,
      order: 'newest',
    }),
    readLog(place, { ...range, from: wanted.seq + 1, to: wanted.seq + HORIZON }),
  ])
  const events = [...earlier.toReversed(), ...later].map((row) =>
    toLoggedEvent(place.sessionId, row),
  )
  const found = callsIn(events, wanted, place.sessionId)
  const before = found.filter(({ seq }) => seq < wanted.seq).slice(-SHOWN)
  return [...before, ...found.filter(({ seq }) => seq > wanted.seq).slice(0, SHOWN)]
}
