import { clsx } from 'clsx'
import { StatusBadge, StatusText } from '@/components/ui/status-badge.tsx'
import { Ago } from '@/components/ui/time.tsx'
import {
  appliedText,
  countsText,
  isPartlyApplied,
  rejectionText,
  standingLook,
  type VersionStanding,
} from './standing-words.ts'

function StandingWords({
  release,
  hasCounts = false,
}: {
  readonly release: VersionStanding
  /** The counts are not shown beside it. */
  readonly hasCounts?: boolean
}) {
  const { lastApplied, status } = release
  const counts = hasCounts ? countsText(release) : null
  return (
    <>
      {standingLook(release).word}
      {counts !== null && `, ${counts}`}
      {status === 'live' && lastApplied !== null && (
        <>
          {' '}
          <Ago at={lastApplied.at} />
          {hasCounts && ' (0 connected)'}
        </>
      )}
    </>
  )
}

export function StandingBadge({ release }: { readonly release: VersionStanding }) {
  return (
    <StatusBadge status={standingLook(release).status}>
      <StandingWords release={release} hasCounts />
    </StatusBadge>
  )
}

export function ReleaseStanding({
  release,
  isBrief = false,
}: {
  readonly release: VersionStanding
  /** The row of a list, which has a column for the counts. */
  readonly isBrief?: boolean
}) {
  const rejection = rejectionText(release)
  return (
    <span className="flex min-w-0 flex-col">
      <StatusText status={standingLook(release).status}>
        <StandingWords release={release} hasCounts={!isBrief} />
      </StatusText>
      {rejection !== null && (
        <span
          title={isBrief ? rejection : undefined}
          className={clsx(
            'text-small text-warning-fg',
            isBrief ? 'truncate' : 'whitespace-normal break-words',
          )}
        >
          {rejection}
        </span>
      )}
    </span>
  )
}

export function AppliedCounts({ release }: { readonly release: VersionStanding }) {
  const { applied, total, successor } = release
  const text = appliedText(release)
  if (total === 0 || successor !== null) return <span className="text-text-2">{text}</span>
  return (
    <span className="inline-flex items-center gap-1.5 tabular-nums">
      <span aria-hidden className="h-1 w-9 overflow-hidden rounded-full bg-surface-3">
        <span
          className={clsx(
            'block h-full',
            isPartlyApplied(release) ? 'bg-warning-mark' : 'bg-neutral-mark',
          )}
          style={{ width: `${(applied / total) * 100}%` }}
        />
      </span>
      {text}
    </span>
  )
}
