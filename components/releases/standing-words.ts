// Where a release stands, in words: how many runtimes run it, who rejected it and why, or what took its place. Pure.
import type { ReleaseStatus, Standing } from '@/server/services/adoption.ts'
import type { Status } from '../ui/status-badge.tsx'

interface Look {
  readonly status: Status
  readonly word: string
}

/** A release that no runtime has heard of yet is on its way like any other. */
const LOOKS = {
  publishing: { status: 'publishing', word: 'publishing' },
  waiting: { status: 'publishing', word: 'publishing' },
  live: { status: 'in_sync', word: 'live' },
  partial: { status: 'rejected', word: 'partial' },
  superseded: { status: 'ended', word: 'superseded' },
  rolled_back: { status: 'ended', word: 'rolled back' },
} as const satisfies Record<ReleaseStatus, Look>

export function standingLook({ status }: Pick<Standing, 'status'>): Look {
  return LOOKS[status]
}

export type Told = Standing & { readonly version: number }

function runtimes(count: number): string {
  return count === 1 ? '1 runtime' : `${count} runtimes`
}

/** Behind the word: `3 of 4 runtimes on v15`, `by v16`, `to v14 by M. Ruiz`. */
export function standingDetail({ status, version, applied, total, successor }: Told): string {
  switch (status) {
    case 'waiting':
      return 'no runtime connected'
    case 'live':
    case 'partial':
    case 'publishing':
      return `${applied} of ${runtimes(total)} on v${version}`
    case 'superseded':
      return successor === null ? '' : `by v${successor.version}`
    case 'rolled_back':
      return successor === null
        ? ''
        : `to v${successor.version} by ${successor.author ?? 'somebody who has left'}`
    default:
      return status satisfies never
  }
}

/** `worker-2 rejected it: unknown checker type TestPassing`; null where nobody did. */
export function rejectionText({
  rejection,
  rejected,
}: Pick<Standing, 'rejection' | 'rejected'>): string | null {
  if (rejection === null) return null
  const { runtime, reason } = rejection
  const others = rejected > 1 ? ` · ${rejected - 1} more rejected it` : ''
  return `${runtime} rejected it: ${reason ?? 'it named no reason'}${others}`
}

/** All of it in one line, as a tooltip has it. */
export function standingText(told: Told): string {
  const { word } = standingLook(told)
  const isReplaced = told.successor !== null
  const said = `${word}${isReplaced ? ' ' : ' · '}${standingDetail(told)}`
  const rejection = rejectionText(told)
  return rejection === null ? said : `${said} · ${rejection}`
}
