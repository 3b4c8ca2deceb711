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

interface Value {
  readonly at: number
  readonly value: number
}

/** Values of the window that ends at `at`, each of which holds until the next; in the order of time. */
function* valuesOverTime(
  moments: readonly Moment[],
  { windowMs, isRate }: Condition,
): Generator<Value> {
  const changes = expandMoments(moments, windowMs)
  const sum = { count: 0, total: 0 }
  for (const [at, change] of changes.entries()) {
    sum.count += change.count
    sum.total += change.total
    // Changes at the same time apply together.
    if (changes[at + 1]?.at === change.at) continue
    yield { at: change.at, value: shareOrCount(sum, isRate) }
  }
}

export function computeEpisodes(
  moments: readonly Moment[],
  condition: Condition,
  now: number,
): readonly Episode[] {
  const episodes: Episode[] = []
  let from: number | null = null
  let peak = 0
  for (const { at, value } of valuesOverTime(moments, condition)) {
    if (at > now) break
    if (value >= condition.threshold) {
      from ??= at
      peak = Math.max(peak, value)
    } else if (from !== null) {
      episodes.push({ from, peak, until: at })
      from = null
      peak = 0
    }
  }
  return from === null ? episodes : [...episodes, { from, peak, until: null }]
}

interface Range {
  readonly from: number
  readonly until: number
  /** Number of equal parts. */
  readonly parts: number
}

/** Parts of the range that the time from `from` to `until` touches. */
export function listParts(
  range: Range,
  { from, until }: { readonly from: number; readonly until: number },
): readonly number[] {
  const size = (range.until - range.from) / range.parts
  const first = Math.max(0, Math.floor((from - range.from) / size))
  const end = Math.min(range.parts, Math.ceil((until - range.from) / size))
  return Array.from({ length: Math.max(0, end - first) }, (_, at) => first + at)
}

/** Highest value in each part of the range, oldest first. */
export function computePeaks(
  moments: readonly Moment[],
  condition: Condition,
  range: Range,
): readonly number[] {
  const peaks = Array.from({ length: range.parts }, () => 0)
  let before: Value = { at: range.from, value: 0 }
  const hold = (until: number): void => {
    for (const part of listParts(range, { from: before.at, until }))
      peaks[part] = Math.max(peaks[part] ?? 0, before.value)
  }
  for (const next of valuesOverTime(moments, condition)) {
    if (next.at > range.until) break
    hold(next.at)
    before = next
  }
  hold(range.until)
  return peaks
}
