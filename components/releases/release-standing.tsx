import { clsx } from 'clsx'
import { StatusText } from '@/components/ui/status-badge.tsx'
import { Ago } from '@/components/ui/time.tsx'
import {
  rejectionText,
  standingDetail,
  standingLook,
  type VersionStanding,
} from './standing-words.ts'

export function StandingDetail({ release }: { readonly release: VersionStanding }) {
  const { status, lastApplied } = release
  return (
    <>
      {standingDetail(release)}
      {status === 'live' && lastApplied !== null && (
        <>
          {' '}
          <Ago at={lastApplied.at} />
        </>
      )}
    </>
  )
}

export function ReleaseStanding({
  release,
  isBrief = false,
}: {
  readonly release: VersionStanding
  readonly isBrief?: boolean
}) {
  const { status, word } = standingLook(release)
  const rejection = rejectionText(release)
  return (
    <span className="flex min-w-0 flex-col">
      <span className="flex items-center gap-x-1.5 max-sm:flex-wrap sm:whitespace-nowrap">
        <span className="shrink-0">
          <StatusText status={status}>{word}</StatusText>
        </span>{' '}
        <span className={clsx('text-text-2', isBrief && 'min-w-0 truncate')}>
          {release.successor === null ? '· ' : ''}
          <StandingDetail release={release} />
        </span>
      </span>
      {rejection !== null && (
        <span
          title={isBrief ? rejection : undefined}
          className={clsx(
            'text-deny-fg text-small',
            isBrief ? 'truncate' : 'whitespace-normal break-words',
          )}
        >
          {rejection}
        </span>
      )}
    </span>
  )
}
