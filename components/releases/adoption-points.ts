import { countText } from '@signalbox/core/analysis'

export interface AdoptionPoint {
  /** Milliseconds after the release. */
  readonly afterMs: number
  readonly applied: number
}

/** Both ends included. `count`: runtimes that a sampled `appliedAt` stands for. A clock before the release counts at the release. */
export function adoptionPoints(facts: {
  readonly createdAt: number
  /** Ascending, epoch ms. */
  readonly appliedAt: readonly number[]
  readonly count: number
  readonly endMs: number
}): readonly AdoptionPoint[] {
  const { createdAt, appliedAt, count, endMs } = facts
  const points: AdoptionPoint[] = [{ afterMs: 0, applied: 0 }]
  const last = appliedAt.length - 1
  for (const [index, at] of appliedAt.entries()) {
    const applied = last === 0 ? count : 1 + Math.round((index / last) * (count - 1))
    points.push({ afterMs: Math.max(0, at - createdAt), applied })
  }
  return [...points, { afterMs: endMs, applied: appliedAt.length === 0 ? 0 : count }]
}

export interface TimeScale {
  readonly unitMs: number
  /** `seconds`. */
  readonly word: string
  /** End of the axis, ms: a tick. */
  readonly endMs: number
  /** In units. */
  readonly ticks: readonly number[]
}

const UNITS = [
  { unitMs: 1_000, word: 'seconds', steps: [10, 20, 30] },
  { unitMs: 60_000, word: 'minutes', steps: [1, 2, 5, 10, 20] },
  { unitMs: 3_600_000, word: 'hours', steps: [1, 2, 4, 8] },
  { unitMs: 86_400_000, word: 'days', steps: [1, 2, 5, 10, 30, 90, 365] },
] as const

const MOST_TICKS = 7

/** Axis from the release to at least a minute after it, with at most seven ticks after zero. */
export function findTimeScale(lastMs: number): TimeScale {
  const span = Math.max(60_000, lastMs * 1.05)
  for (const { unitMs, word, steps } of UNITS) {
    const step = steps.find((one) => span / (one * unitMs) <= MOST_TICKS)
    if (step === undefined) continue
    const count = Math.ceil(span / (step * unitMs))
    const ticks = Array.from({ length: count + 1 }, (_, index) => index * step)
    return { unitMs, word, endMs: count * step * unitMs, ticks }
  }
  return { unitMs: 86_400_000, word: 'days', endMs: span, ticks: [0] }
}

/** Label of the line at the number of connected runtimes, short enough to fit beside the plot. */
export function describeTarget(target: number, isMet: boolean): string {
  if (!isMet) return `${countText(target)} connected`
  return target === 1 ? '1 of 1 applied' : `all ${countText(target)} applied`
}
