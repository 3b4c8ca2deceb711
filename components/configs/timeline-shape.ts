import type { VersionTimeline } from '@/server/releases/release-pages.ts'

type Lane = VersionTimeline['environments'][number]
type Release = Lane['releases'][number]

export interface Bar {
  readonly release: Release
  /** Percentage of the axis. */
  readonly left: number
  readonly width: number
  readonly isCurrent: boolean
}

function percent(at: number, { since, until }: Pick<VersionTimeline, 'since' | 'until'>): number {
  return Math.min(100, Math.max(0, ((at - since) / (until - since)) * 100))
}

/** `lane.releases`: oldest first. Releases that ended before the axis begins are left out. */
export function toBars(lane: Lane, axis: Pick<VersionTimeline, 'since' | 'until'>): readonly Bar[] {
  return lane.releases.flatMap((release, index): Bar[] => {
    const next = lane.releases[index + 1]
    const end = next?.createdAt ?? axis.until
    if (end < axis.since) return []
    const left = percent(release.createdAt, axis)
    return [{ release, left, width: percent(end, axis) - left, isCurrent: next === undefined }]
  })
}

export interface Mark {
  readonly left: number
  readonly width: number
  readonly at: number
  /** 0 to 1; null: nothing was counted. */
  readonly share: number | null
  readonly part: number
  readonly whole: number
}

/** Marks per bucket in which a session started: share of denied calls or of blocked stops. */
export function buildMarks(
  lane: Lane,
  axis: Pick<VersionTimeline, 'since' | 'until' | 'bucketMs'>,
  what: 'denied' | 'blocked',
): readonly Mark[] {
  return lane.behavior.map((bucket) => {
    const [part, whole] =
      what === 'denied' ? [bucket.denied, bucket.calls] : [bucket.blocked, bucket.stops]
    const left = percent(bucket.at, axis)
    const width = percent(bucket.at + axis.bucketMs, axis) - left
    return { left, width, at: bucket.at, part, whole, share: whole === 0 ? null : part / whole }
  })
}

/** True: a session started since the lane's current release; before that, its effect is unknown. */
export function hasTrafficSinceRelease(lane: Lane, bucketMs: number): boolean {
  const current = lane.releases.at(-1)
  return current !== undefined && lane.behavior.some(({ at }) => at + bucketMs > current.createdAt)
}
