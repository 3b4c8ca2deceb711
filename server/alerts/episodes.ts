// The times at which a rule would have fired, computed exactly from the moments that count. Preview and evaluation both use it. Pure.

/** Something that counts at a time. For a rate, `total` is the number that `count` is a part of. */
export interface Moment {
  readonly at: number
  readonly count: number
  readonly total: number
}

export interface Condition {
  readonly windowMs: number
  /** A count, or a percentage. */
  readonly threshold: number
  readonly isRate: boolean
}

export interface Episode {
  readonly from: number
  /** Null: it still fires at the end of the range. */
  readonly until: number | null
  readonly peak: number
}

/** A rate over fewer calls is not meaningful. */
const FEWEST_OF_A_RATE = 20

interface Sum {
  count: number
  total: number
}

function shareOrCount({ count, total }: Sum, isRate: boolean): number {
  if (!isRate) return count
  return total < FEWEST_OF_A_RATE ? 0 : (100 * count) / total
}

/** Value of the moments in the window that ends at `now`, which includes its end but not its start. */
export function valueAt(moments: readonly Moment[], condition: Condition, now: number): number {
  const sum = { count: 0, total: 0 }
  for (const { at, count, total } of moments) {
    if (at <= now - condition.windowMs || at > now) continue
    sum.count += count
    sum.total += total
  }
  return shareOrCount(sum, condition.isRate)
}

interface Change {
  readonly at: number
  readonly count: number
  readonly total: number
}

function expandMoments(moments: readonly Moment[], windowMs: number): readonly Change[] {
  return moments
    .flatMap(({ at, count, total }) => [
      { at, count, total },
      { at: at + windowMs, count: -count, total: -total },
    ])
    .sort((one, other) => one.at - other.at)
}

export function computeEpisodes(
  moments: readonly Moment[],
  { windowMs, threshold, isRate }: Condition,
  now: number,
): readonly Episode[] {
  const changes = expandMoments(moments, windowMs)
  const episodes: Episode[] = []
  const sum = { count: 0, total: 0 }
  let from: number | null = null
  let peak = 0
  for (const [at, change] of changes.entries()) {
    if (change.at > now) break
    sum.count += change.count
    sum.total += change.total
    // Changes at the same time apply together.
    if (changes[at + 1]?.at === change.at) continue
    const value = shareOrCount(sum, isRate)
    if (value >= threshold) {
      from ??= change.at
      peak = Math.max(peak, value)
    } else if (from !== null) {
      episodes.push({ from, peak, until: change.at })
      from = null
      peak = 0
    }
  }
  return from === null ? episodes : [...episodes, { from, peak, until: null }]
}
