// Whether everything that a session did passed its guardrails. Nothing is shown where it did: that is the normal case.
import { StatusBadge, StatusText } from '@/components/ui/status-badge.tsx'
import type { SessionFacts } from '@/server/read-models/session-columns.ts'

type Facts = Pick<SessionFacts, 'enforcement' | 'breachCount'>

function wordsOf({ enforcement, breachCount }: Facts): string {
  if (enforcement === 'gap') return 'not fully enforced'
  return `not fully enforced · ${breachCount} ${breachCount === 1 ? 'breach' : 'breaches'}`
}

const TITLE = {
  gap: 'Its harness does not let everything be enforced.',
  breach: 'Its log shows that something passed without a decision or against one.',
} as const

/** For headers. Null when it was fully enforced, or that is unknown. */
export function EnforcementBadge({ facts }: { readonly facts: Facts }) {
  const { enforcement } = facts
  if (enforcement === 'full' || enforcement === 'unknown') return null
  return (
    <span title={TITLE[enforcement]} className="inline-flex">
      <StatusBadge status={enforcement}>{wordsOf(facts)}</StatusBadge>
    </span>
  )
}

/** For rows: without a box. */
export function EnforcementText({ facts }: { readonly facts: Facts }) {
  const { enforcement } = facts
  if (enforcement === 'unknown') return <span className="text-text-3">–</span>
  if (enforcement === 'full') return <span className="text-text-2">fully</span>
  return (
    <span title={TITLE[enforcement]} className="inline-flex">
      <StatusText status={enforcement}>{wordsOf(facts)}</StatusText>
    </span>
  )
}
