// Pure.

/** Sums of compared sessions that ended in one of the equal parts of the time since the rollout began. */
export interface GuardPart {
  readonly id: string
  /** From 0 to GUARD_PARTS - 1, which ends at the present. */
  readonly part: number
  readonly cohort: 'base' | 'candidate'
  readonly count: number
  readonly sum: number
  readonly squares: number
}

export const GUARD_PARTS = 40

export interface GuardPoint {
  /** Epoch ms. */
  readonly at: number
  /** Means of the sessions so far; null: none has ended. */
  readonly base: number | null
  readonly candidate: number | null
  /** 99% range of the candidate's mean; null: fewer than two sessions. */
  readonly range: readonly [number, number] | null
}

/** Normal quantile of a two-sided 99% range. */
const Z = 2.576

interface Sums {
  readonly count: number
  readonly sum: number
  readonly squares: number
}

const NONE: Sums = { count: 0, sum: 0, squares: 0 }

function addSums(one: Sums, more: Sums): Sums {
  return {
    count: one.count + more.count,
    sum: one.sum + more.sum,
    squares: one.squares + more.squares,
  }
}

function findMean({ count, sum }: Sums): number | null {
  return count === 0 ? null : sum / count
}

function findRange({ count, sum, squares }: Sums): GuardPoint['range'] {
  if (count < 2) return null
  const mean = sum / count
  const variance = Math.max(0, (squares - count * mean * mean) / (count - 1))
  const half = Z * Math.sqrt(variance / count)
  return [Math.max(0, mean - half), mean + half]
}

/** One point at the end of each part in which a session ended. */
export function buildGuardHistory(
  parts: readonly GuardPart[],
  { createdAt, now }: { readonly createdAt: number; readonly now: number },
): readonly GuardPoint[] {
  const sums = { base: NONE, candidate: NONE }
  const points: GuardPoint[] = []
  for (const part of [...new Set(parts.map((one) => one.part))].sort((a, b) => a - b)) {
    for (const one of parts) {
      if (one.part === part) sums[one.cohort] = addSums(sums[one.cohort], one)
    }
    const share = (part + 1) / GUARD_PARTS
    points.push({
      at: createdAt + share * (now - createdAt),
      base: findMean(sums.base),
      candidate: findMean(sums.candidate),
      range: findRange(sums.candidate),
    })
  }
  return points
}
