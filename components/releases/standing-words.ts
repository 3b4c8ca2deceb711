import { plural } from '@signalbox/core/analysis'
import type { Status } from '@/components/ui/status-badge.tsx'
import type { Standing } from '@/server/configs/release-standing.sql.ts'

export type VersionStanding = Standing & { readonly version: number }

interface Look {
  readonly status: Status
  /** Without the time of the last application. */
  readonly word: string
}

/** Not applied by every runtime, and the time in which that is normal has passed. */
export function isPartlyApplied({ status, isLate }: Pick<Standing, 'status' | 'isLate'>): boolean {
  return status === 'partial' || (status === 'publishing' && isLate)
}

export function standingLook(release: VersionStanding): Look {
  const { status, successor, lastApplied } = release
  if (isPartlyApplied(release)) return { status: 'partial', word: 'Partly applied' }
  switch (status) {
    case 'waiting':
      return { status: 'unclaimed', word: 'Waiting for a runtime' }
    case 'live':
      return { status: 'live', word: lastApplied === null ? 'Live' : 'Live, last applied' }
    case 'superseded':
      return { status: 'replaced', word: `Replaced by v${successor?.version}` }
    case 'rolled_back':
      return { status: 'reverted', word: `Rolled back to v${successor?.version}` }
    default:
      return { status: 'applying', word: 'Applying' }
  }
}

/** `3 of 4`, after the word of a release that has not arrived everywhere; null: the word needs none. */
export function countsText(release: VersionStanding): string | null {
  const { status, applied, total } = release
  return status === 'partial' || status === 'publishing' ? `${applied} of ${total}` : null
}

/** Null: no runtime rejected it. */
export function rejectionText({
  rejection,
  rejected,
}: Pick<Standing, 'rejection' | 'rejected'>): string | null {
  if (rejection === null) return null
  const { runtime, reason } = rejection
  const others = rejected > 1 ? ` · ${rejected - 1} more rejected it` : ''
  return `${runtime} rejected it: ${reason ?? 'no reason given'}${others}`
}

/** Value of the column Applied. */
export function appliedText({ status, applied, total, lastApplied }: Standing): string {
  if (status === 'waiting') return 'none yet'
  if (lastApplied !== null) return '0 connected'
  return total === 0 ? '–' : `${applied}/${total}`
}

export function adoptionSentence({ applied, total }: Pick<Standing, 'applied' | 'total'>): string {
  return total === 0
    ? 'Applied by no runtime yet'
    : `Applied by ${applied} of ${plural(total, 'runtime')}`
}

export function describeStanding(release: VersionStanding): string {
  const { lastApplied } = release
  const word = lastApplied === null ? standingLook(release).word : 'Live, 0 connected'
  return [
    [word, countsText(release)].filter((text) => text !== null).join(', '),
    rejectionText(release),
  ]
    .filter((text) => text !== null)
    .join(' · ')
}
