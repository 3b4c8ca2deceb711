// Dashed lines of the releases in a time chart.

export interface Mark {
  readonly at: number
  readonly label: string
}

interface DrawnMark {
  readonly at: number
  /** Releases of this line. */
  readonly text: string
  /** Releases of this line and of those after it that have no label of their own; empty: none. */
  readonly label: string
  /** Near the right edge, where a centered label would be cut off. */
  readonly isLate: boolean
}

/** Approximate share of the width that a label needs. */
const ROOM = 0.12

/** Draws one line per bucket. Lines without room for a label are counted by the one before them. */
export function mergeMarks({
  marks,
  points,
  stepMs,
}: {
  readonly marks: readonly Mark[]
  readonly points: readonly { readonly at: number }[]
  readonly stepMs: number
}): readonly DrawnMark[] {
  const byBucket = new Map<number, string[]>()
  for (const { at, label } of marks) {
    const bucket = points.findIndex((point) => point.at <= at && at < point.at + stepMs)
    if (bucket >= 0) byBucket.set(bucket, [label, ...(byBucket.get(bucket) ?? [])])
  }
  const lines = [...byBucket].sort(([a], [b]) => a - b)
  const labels = new Map<number, string[][]>()
  let labeled = Number.NEGATIVE_INFINITY
  for (const [bucket, releases] of lines) {
    if (bucket - labeled >= points.length * ROOM) labeled = bucket
    labels.set(labeled, [...(labels.get(labeled) ?? []), releases])
  }
  return lines.map(([bucket, releases]) => ({
    at: points[bucket]?.at ?? 0,
    text: releases.join(', '),
    label: describeReleases(labels.get(bucket) ?? []),
    isLate: bucket > points.length * 0.85,
  }))
}

/** `lines`: the releases of each line. */
function describeReleases(lines: readonly (readonly string[])[]): string {
  const releases = lines.flat()
  if (releases.length <= 2) return releases.join(', ')
  const times = lines.length === 1 ? '' : ` at ${lines.length} times`
  return `${releases.length} releases${times}`
}
