// Result of the server's own evaluation of the log, compared with the runtime's decisions.
import { plural } from '@signalbox/core/analysis'
import { StatusBadge } from '@/components/ui/status-badge.tsx'
import type { SessionFacts } from '@/server/sessions/session-columns.sql.ts'

type Facts = Pick<SessionFacts, 'verification' | 'divergedSeq' | 'contiguousSeq' | 'maxSeq'>

function describeVerification({ verification, divergedSeq, contiguousSeq, maxSeq }: Facts) {
  if (verification === 'diverged') {
    const title = `At #${divergedSeq} the log differs: the same config gives another decision for the recorded facts, or the previous event has another hash.`
    return { status: 'diverged', text: `Diverged at #${divergedSeq}`, title } as const
  }
  if (verification === 'verified') {
    const title = 'Every decision was recomputed from the recorded facts and agrees.'
    return { status: 'verified', text: 'Verified', title } as const
  }
  if (verification === 'verified_to') {
    const after = maxSeq - contiguousSeq
    const text = `Verified to #${contiguousSeq}, ${plural(after, 'event')} after a gap ${after === 1 ? 'is' : 'are'} not`
    const title = `Every decision up to #${contiguousSeq} agrees. Events after it are missing, so what follows cannot be recomputed.`
    return { status: 'pending', text, title } as const
  }
  const title =
    'The decisions have not been recomputed yet, or the server does not have the config of this session.'
  return { status: 'pending', text: 'Not verified', title } as const
}

export function VerificationBadge({ facts }: { readonly facts: Facts }) {
  const { status, text, title } = describeVerification(facts)
  return (
    <span title={title} className="inline-flex">
      <StatusBadge status={status}>{text}</StatusBadge>
    </span>
  )
}
