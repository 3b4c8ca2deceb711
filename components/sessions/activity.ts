// See specs/live.md. Pure.
import type { Status } from '@/components/ui/status-badge.tsx'
import type { SessionFacts } from '@/server/sessions/session-columns.sql.ts'
import type { SessionHead } from '@/server/sessions/session-head.sql.ts'

type Standing = Pick<SessionFacts, 'status' | 'activity' | 'doing' | 'doingText' | 'endReason'>

export interface ActivityWords {
  readonly look: Status
  readonly word: string
  readonly sentence: string
}

function lostWords({ doing }: Standing): ActivityWords {
  const why =
    doing === 'lease_expired'
      ? 'its lease expired and no event followed'
      : 'no event for five minutes, and its runtime reports no live session'
  return { look: 'lost', word: 'Lost', sentence: `Lost: ${why}` }
}

function waitingWords({ doing, doingText }: Standing): ActivityWords {
  const isCall = doing === 'approval'
  return {
    look: 'waiting',
    word: isCall ? 'Waiting: approval' : 'Waiting: next turn',
    sentence: isCall
      ? `Waiting for a reviewer to approve ${doingText ?? 'a call'}`
      : 'The turn is over; waiting for the next one',
  }
}

/** Reason of the end, or the person who ended the session. */
export function describeEnd({
  endedBy,
  endReason,
}: Pick<SessionHead, 'endedBy' | 'endReason'>): string {
  return endedBy === null ? (endReason ?? 'ended') : `ended by ${endedBy}`
}

export function activityWords(session: Standing): ActivityWords {
  const { status, activity, doing, doingText } = session
  if (status === 'ended') {
    return { look: 'ended', word: 'Ended', sentence: `Ended: ${session.endReason ?? 'unknown'}` }
  }
  if (status === 'lost') return lostWords(session)
  switch (activity) {
    case 'waiting':
      return waitingWords(session)
    case 'blocked':
      return {
        look: 'blocked',
        word: 'Blocked',
        sentence: 'Its stop was blocked, and no event followed',
      }
    case 'silent':
      return {
        look: 'silent',
        word: 'Silent',
        sentence: 'No event for a minute, while its runtime reports',
      }
    case 'unknown':
      return {
        look: 'unknown',
        word: 'Unknown',
        sentence: 'No event for a minute, and its runtime does not report',
      }
    case 'working':
    case null: {
      const call = doing === 'call' && doingText !== null ? `: ${doingText} runs` : ''
      return { look: 'working', word: 'Working', sentence: `Working${call}` }
    }
    default:
      return activity satisfies never
  }
}
