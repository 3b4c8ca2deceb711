// Whether the server's own evaluation of the log agrees with what the runtime recorded.
import { StatusBadge } from '@/components/ui/status-badge.tsx'
import type { SessionFacts } from '@/server/read-models/session-columns.ts'

type Facts = Pick<SessionFacts, 'verification' | 'divergedSeq'>

function wordOf({ verification, divergedSeq }: Facts) {
  if (verification === 'diverged') {
    const title = `The decision at #${divergedSeq} is not the one that the same config gives for the recorded facts.`
    return { status: 'diverged', text: `diverged at #${divergedSeq}`, title } as const
  }
  if (verification === 'verified') {
    const title = 'Every decision was recomputed from the recorded facts and agrees.'
    return { status: 'verified', text: 'verified', title } as const
  }
  const title =
    'The decisions were not recomputed yet, or the config of this session is not known here.'
  return { status: 'pending', text: 'not verified', title } as const
}

export function VerificationBadge({ facts }: { readonly facts: Facts }) {
  const { status, text, title } = wordOf(facts)
  return (
    <span title={title} className="inline-flex">
      <StatusBadge status={status}>{text}</StatusBadge>
    </span>
  )
}
