import { plural } from '@signalbox/core/analysis'
import type { Status } from '@/components/ui/status-badge.tsx'
import type { ReleaseStatus, Standing } from '@/server/configs/release-standing.sql.ts'

interface Look {
  readonly status: Status
  readonly word: string
}

const LOOKS = {
  publishing: { status: 'publishing', word: 'publishing' },
  waiting: { status: 'waiting', word: 'released' },
  live: { status: 'in_sync', word: 'live' },
  partial: { status: 'rejected', word: 'partial' },
  superseded: { status: 'ended', word: 'superseded' },
  rolled_back: { status: 'ended', word: 'rolled back' },
} as const satisfies Record<ReleaseStatus, Look>

export function standingLook({ status }: Pick<Standing, 'status'>): Look {
  return LOOKS[status]
}

export type VersionStanding = Standing & { readonly version: number }

function runtimes(count: number): string {
  return plural(count, 'runtime')
}

export function standingDetail(told: VersionStanding): string {
  const { status, version, applied, total, successor, lastApplied } = told
  switch (status) {
    case 'waiting':
      return 'waiting for a runtime'
    case 'live':
      return lastApplied === null
        ? `${applied} of ${runtimes(total)} on v${version}`
        : `last applied by ${lastApplied.runtime}`
    case 'partial':
    case 'publishing':
      return `${applied} of ${runtimes(total)} on v${version}`
    case 'superseded':
      return successor === null ? '' : `by v${successor.version}`
    case 'rolled_back':
      return successor === null
        ? ''
        : `to v${successor.version} by ${successor.author ?? 'a former member'}`
    default:
      return status satisfies never
  }
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

export function standingText(told: VersionStanding): string {
  const { word } = standingLook(told)
  const isReplaced = told.successor !== null
  const said = `${word}${isReplaced ? ' ' : ' · '}${standingDetail(told)}`
  const rejection = rejectionText(told)
  return rejection === null ? said : `${said} · ${rejection}`
}
