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
  const [hits, all] = [bad.of + good.of, bad.all + good.all]
  let sum = 0
  for (let k = bad.of; k <= Math.min(hits, bad.all); k++) {
    if (hits - k > good.all) continue
    sum += Math.exp(logChoose(bad.all, k) + logChoose(good.all, hits - k) - logChoose(all, hits))
  }
  return Math.min(1, sum)
}

/** How far the values of the first histogram lie above those of the second, in standard deviations (Mann–Whitney, with ties). */
export function computeRankDistance(
  high: ReadonlyMap<number, number>,
  low: ReadonlyMap<number, number>,
): number {
  const values = [...new Set([...high.keys(), ...low.keys()])].sort((a, b) => a - b)
  let [n, m, below, wins, ties] = [0, 0, 0, 0, 0]
  for (const value of values) {
    const [a, b] = [high.get(value) ?? 0, low.get(value) ?? 0]
    wins += a * (below + b / 2)
    below += b
    n += a
    m += b
    ties += (a + b) ** 3 - (a + b)
  }
  if (n === 0 || m === 0) return 0
  const all = n + m
  const variance = ((n * m) / 12) * (all + 1 - ties / (all * (all - 1)))
  return variance <= 0 ? 0 : (wins - (n * m) / 2) / Math.sqrt(variance)
}
