import type { SessionEvent } from '@signalbox/core'
import { decisionSentence, stopSentence } from '@signalbox/core/analysis'
import type { CaseVerdict } from './pinned-cases.sql.ts'

export interface Decided {
  readonly kind: 'call' | 'stop'
  readonly callId: string | null
  readonly recorded: CaseVerdict
  readonly sentence: string
}

/** Null: the event decides nothing. */
export function readDecided(event: SessionEvent): Decided | null {
  switch (event.type) {
    case 'stop.decided': {
      const recorded = event.data.message === null ? 'allowed' : 'blocked'
      return { kind: 'stop', callId: null, recorded, sentence: stopSentence(event.data) }
    }
    case 'tool.decided': {
      const { call_id: callId, decision, tool } = event.data
      const recorded = decision === 'allowed' ? 'allowed' : 'denied'
      const sentence = decision === 'allowed' ? `${tool} was allowed` : decisionSentence(event.data)
      return { kind: 'call', callId, recorded, sentence }
    }
    default:
      return null
  }
}

/** Explains why such a decision cannot have the expected verdict; null: it can. */
export function explainMisfit(kind: Decided['kind'], expected: CaseVerdict): string | null {
  const fitting = kind === 'stop' ? ['allowed', 'blocked'] : ['allowed', 'denied']
  if (fitting.includes(expected)) return null
  return `${kind === 'stop' ? 'A stop' : 'A call'} should be ${fitting.join(' or ')}.`
}
