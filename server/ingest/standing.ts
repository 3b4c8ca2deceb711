// Activity after the newest event, as far as the log proves it. specs/live.md defines its use. Pure.
import type { SessionEvent, SessionState } from '@signalbox/core'
import { openCalls } from '@signalbox/core/analysis'
import { storableText } from '@/server/platform/sql/storable-text.ts'

export type Doing = 'call' | 'approval' | 'refused' | 'turn_over' | 'lease_expired'

export interface Standing {
  /** Null: nothing that lasts beyond the event itself. */
  readonly doing: Doing | null
  readonly doingSeq: number | null
  /** Tool of the call; null for everything else. */
  readonly doingText: string | null
}

const NOTHING: Standing = { doing: null, doingSeq: null, doingText: null }

/** After these events the agent or its operator continues, so the earlier activity is over. */
const GOES_ON: ReadonlySet<string> = new Set([
  'tool.requested',
  'stop.attempted',
  'plan.updated',
  'prompt.rendered',
  'prompt.executed',
  'lease.extended',
])

function deriveStanding(event: SessionEvent): Standing | null {
  const at = (doing: Doing): Standing => ({ doing, doingSeq: event.seq, doingText: null })
  if (event.type === 'lease.expired') return at('lease_expired')
  if (event.type === 'stop.decided') {
    const { verdict } = event.data
    return at(verdict === 'blocked' || verdict === 'error' ? 'refused' : 'turn_over')
  }
  return GOES_ON.has(event.type) ? { ...NOTHING, doingSeq: event.seq } : null
}

/** `events`: newly stored, ascending. `state`: null while events before the newest are missing, so that open calls are unknown. */
export function standingAfter(
  { doing, doingSeq, doingText }: Standing,
  events: readonly SessionEvent[],
  state: SessionState | null,
): Standing {
  let standing: Standing = { doing, doingSeq, doingText }
  for (const event of events) {
    const next = event.seq > (standing.doingSeq ?? 0) ? deriveStanding(event) : null
    if (next !== null) standing = next
  }
  if (state === null || standing.doing === 'lease_expired') return standing
  const open = openCalls(state)
  const waiting = open.find(({ stands }) => stands === 'waits for a reviewer')
  const call = waiting ?? open.find(({ stands }) => stands === 'allowed')
  if (call !== undefined) {
    return {
      doing: waiting === undefined ? 'call' : 'approval',
      doingSeq: call.seq,
      doingText: storableText(call.tool),
    }
  }
  const wasCall = standing.doing === 'call' || standing.doing === 'approval'
  return wasCall ? { ...NOTHING, doingSeq: standing.doingSeq } : standing
}
