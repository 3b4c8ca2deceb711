/** Lower bound of a share, with 97.5% certainty (Wilson). */
export function computeLowerBound(kept: number, all: number): number {
  if (all === 0) return 0
  const z = 1.96
  const share = kept / all
  const spread = z * Math.sqrt((share * (1 - share)) / all + (z * z) / (4 * all * all))
  return Math.max(0, (share + (z * z) / (2 * all) - spread) / (1 + (z * z) / all))
}

/** Decimal digits of how unlikely it is that chance `q` keeps so many of `all` (Chernoff bound of the binomial tail). */
export function computeSurprise(kept: number, all: number, q: number): number {
  if (all === 0) return 0
  const share = kept / all
  const chance = Math.min(0.999999, Math.max(1e-6, q))
  if (share <= chance) return 0
  const lost = share < 1 ? (1 - share) * Math.log((1 - share) / (1 - chance)) : 0
  return (all * (share * Math.log(share / chance) + lost)) / Math.LN10
}

/** Probability that any of the patterns that were tested together is a coincidence. */
const ALPHA = 0.01

/** Decimal digits of surprise that a pattern needs among so many that were tested (Bonferroni). */
export function shareLimit(tested: number): number {
  return Math.log10(Math.max(1, tested) / ALPHA)
}

const LOG_FACTORIALS = [0]

function logFactorial(n: number): number {
  for (let i = LOG_FACTORIALS.length; i <= n; i++)
    LOG_FACTORIALS.push((LOG_FACTORIALS[i - 1] ?? 0) + Math.log(i))
  return LOG_FACTORIALS[n] ?? 0
}

const logChoose = (n: number, k: number): number =>
  logFactorial(n) - logFactorial(k) - logFactorial(n - k)

export interface Share {
  readonly of: number
  readonly all: number
}

/** Probability of at least `bad.of` among the bad ones if both samples had the same share (Fisher's exact test). */
export function testDifference(bad: Share, good: Share): number {
  return listTails(bad, good, bad.of)[bad.of] ?? 0
}

/** For each number of bad ones from `least` on that can be: the probability of at least so many if both samples had the same share. */
function listTails(bad: Share, good: Share, least = 0): readonly number[] {
  const [hits, all] = [bad.of + good.of, bad.all + good.all]
  const tails: number[] = []
  let sum = 0
  for (let k = Math.min(hits, bad.all); k >= Math.max(least, hits - good.all); k--) {
    sum += Math.exp(logChoose(bad.all, k) + logChoose(good.all, hits - k) - logChoose(all, hits))
    tails[k] = Math.min(1, sum)
  }
  return tails
}

/** Decimal digits of how unlikely it is. */
export function countDigits(chance: number): number {
  return -Math.log10(Math.max(1e-300, chance))
}

export interface Difference {
  readonly bad: Share
  readonly good: Share
}

/** True: at least `fewest` bad ones, and chance makes such a difference at most this often. */
export function isDifferent({ bad, good }: Difference, fewest: number, chance: number): boolean {
  return bad.of >= fewest && testDifference(bad, good) <= chance
}

/**
 * The largest probability up to which a difference counts, so that at most this share of those that count is expected to be coincidences
 * (false discovery rate by Benjamini and Hochberg). A small sample cannot have every probability, and adds only the largest that it can have up to there.
 */
export function findCutoff(differences: readonly Difference[], share: number): number {
  const tails = differences.map(({ bad, good }) => listTails(bad, good))
  const found = differences.map(({ bad, good }) => testDifference(bad, good)).sort((a, b) => b - a)
  const isMet = (cutoff: number, index: number) => {
    const expected = tails.reduce((sum, one) => sum + (one.find((tail) => tail <= cutoff) ?? 0), 0)
    return expected <= share * (found.length - index)
  }
  return found.find(isMet) ?? 0
}
