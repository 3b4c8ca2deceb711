// A fully enforced session is the normal case and has no badge.
import { plural } from '@signalbox/core/analysis'
import { StatusBadge, StatusText } from '@/components/ui/status-badge.tsx'
import type { SessionFacts } from '@/server/sessions/session-columns.sql.ts'

type Facts = Pick<SessionFacts, 'enforcement' | 'breachCount'>

const BRIEF = 'Not fully enforced'

function describeEnforcement({ enforcement, breachCount }: Facts): string {
  if (enforcement === 'gap') return BRIEF
  return `${BRIEF} · ${plural(breachCount, 'breach')}`
}

const TITLE = {
  gap: 'Its harness does not support full enforcement.',
  breach: 'Its log shows an action without a decision or against one.',
} as const

/** Renders nothing if the session was fully enforced, or that is unknown. */
export function EnforcementBadge({
  facts,
  isBrief = false,
}: {
  readonly facts: Facts
  /** For dense rows: one line, without box and number of breaches; the tooltip has the full text. */
  readonly isBrief?: boolean
}) {
  const { enforcement } = facts
  if (enforcement === 'full' || enforcement === 'unknown') return null
  const title = `${describeEnforcement(facts)}. ${TITLE[enforcement]}`
  if (isBrief) {
    return (
      <span title={title} className="inline-flex whitespace-nowrap">
        <StatusText status={enforcement}>{BRIEF}</StatusText>
      </span>
    )
  }
  return (
    <span title={title} className="inline-flex">
      <StatusBadge status={enforcement}>{describeEnforcement(facts)}</StatusBadge>
    </span>
  )
}
