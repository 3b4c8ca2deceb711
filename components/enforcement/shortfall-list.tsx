'use client'

import { Link } from '@/components/ui/link.tsx'
import { StatusIcon } from '@/components/ui/status-badge.tsx'
import type { ShownShortfall } from '@/server/sessions/session-head.sql.ts'

export interface ShortfallListProps {
  readonly sessionId: string
  readonly shortfalls: readonly ShownShortfall[]
  /** Shows the event in the session on the page. Absent: the link leads to the session. */
  readonly onSelect?: (seq: number) => void
}

const WORD = { gap: 'Gap', breach: 'Breach' } as const

export function ShortfallList({ sessionId, shortfalls, onSelect }: ShortfallListProps) {
  return (
    <ul className="flex flex-col gap-1">
      {shortfalls.map((shortfall) => {
        const { code, severity, seq, sentence } = shortfall
        return (
          <li key={`${code} ${seq}`} className="flex items-baseline gap-1.5">
            <span className="translate-y-0.5">
              <StatusIcon status={severity} />
            </span>
            <span className="min-w-0 break-words">
              <span className="font-medium">{WORD[severity]}</span> · {sentence}
              {seq === null ? null : (
                <>
                  {' '}
                  <EventLink sessionId={sessionId} seq={seq} onSelect={onSelect} />
                </>
              )}
            </span>
          </li>
        )
      })}
    </ul>
  )
}

function EventLink({
  sessionId,
  seq,
  onSelect,
}: {
  readonly sessionId: string
  readonly seq: number
  readonly onSelect: ((seq: number) => void) | undefined
}) {
  return (
    <Link
      className="font-mono text-link text-mono"
      href={`/sessions/${sessionId}?e=${seq}`}
      onNavigate={(event) => {
        if (onSelect === undefined) return
        event.preventDefault()
        onSelect(seq)
      }}
    >
      #{seq}
    </Link>
  )
}
