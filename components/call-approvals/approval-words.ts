import { timesText } from '@signalbox/core/analysis'
import type { Status } from '@/components/ui/status-badge.tsx'
import type {
  ApprovalOutcome,
  CallApprovalFacts,
  EarlierApprovals,
} from '@/server/call-approvals/waiting-calls.sql.ts'

export interface SettledWords {
  readonly status: Status
  readonly word: string
  /** Detail beyond the label; null: none. */
  readonly more: string | null
}

type Settled = Pick<
  CallApprovalFacts,
  'decision' | 'outcome' | 'outcomeNote' | 'decidedName' | 'waitsUntil'
>

/** A running runtime reports the result within seconds of the end of the wait. */
const REPORTED_WITHIN_MS = 300_000

/** `now`: epoch ms; null: unknown. */
export function settledWords(call: Settled, now: number | null): SettledWords {
  const { decision, outcome, outcomeNote, waitsUntil } = call
  const isOverdue = now !== null && now > waitsUntil + REPORTED_WITHIN_MS
  if (decision === 'denied') return { status: 'denied', word: 'Denied', more: null }
  if (decision === 'approved') {
    if (outcome === 'approved') return { status: 'passed', word: 'Approved', more: null }
    if (outcome === null)
      return {
        status: 'passed',
        word: 'Approved',
        more: isOverdue
          ? 'The runtime never reported whether the call ran.'
          : 'Not yet confirmed by the runtime.',
      }
    return {
      status: 'warning',
      word: 'Approved too late',
      more: `The call was denied: ${why(outcome, outcomeNote)}`,
    }
  }
  const report = isOverdue
    ? 'The runtime never reported it.'
    : 'The runtime has not reported it yet.'
  const cause = outcome === null ? `the time expired. ${report}` : why(outcome, outcomeNote)
  return { status: 'ended', word: 'No answer', more: `Denied: ${cause}` }
}

function why(outcome: ApprovalOutcome, note: string | null): string {
  switch (outcome) {
    case 'ended':
      return 'the session ended while the call waited.'
    case 'unavailable':
      return note === null ? 'no one could be asked.' : `no one could be asked. ${note}`
    case 'timed_out':
      return note === null ? 'no one answered in time.' : `no one answered in time. ${note}`
    case 'approved':
    case 'denied':
      return 'it was decided elsewhere.'
    default:
      return outcome satisfies never
  }
}

/** Null: no decision. */
export function decidedBy({
  decidedName,
  note,
}: Pick<CallApprovalFacts, 'decidedName' | 'note'>): string | null {
  if (decidedName === null) return null
  return note === null ? `by ${decidedName}` : `by ${decidedName}: “${note}”`
}

function counted(count: number, word: string): string {
  return count === 0 ? '' : `${word} ${timesText(count)}`
}

/** Null: no earlier call of this kind. */
export function earlierText({ approved, denied, unanswered }: EarlierApprovals): string | null {
  const parts = [
    counted(approved, 'approved'),
    counted(denied, 'denied'),
    counted(unanswered, 'left unanswered'),
  ].filter(Boolean)
  return parts.length === 0 ? null : parts.join(', ')
}
