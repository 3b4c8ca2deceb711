export interface AdoptionPoint {
  /** Milliseconds after the release. */
  readonly afterMs: number
  readonly applied: number
}

const LEAST_WIDTH_MS = 1_000

/** Both ends included. `count`: runtimes that a sampled `appliedAt` stands for. A clock before the release counts at the release. */
export function adoptionPoints(facts: {
  readonly createdAt: number
  /** Ascending, epoch ms. */
  readonly appliedAt: readonly number[]
  readonly count: number
  readonly until: number
}): readonly AdoptionPoint[] {
  const { createdAt, appliedAt, count, until } = facts
  const points: AdoptionPoint[] = [{ afterMs: 0, applied: 0 }]
  const last = appliedAt.length - 1
  for (const [index, at] of appliedAt.entries()) {
    const applied = last === 0 ? count : 1 + Math.round((index / last) * (count - 1))
    points.push({ afterMs: Math.max(0, at - createdAt), applied })
  }
  const end = Math.max(LEAST_WIDTH_MS, until - createdAt, points.at(-1)?.afterMs ?? 0)
  return [...points, { afterMs: end, applied: appliedAt.length === 0 ? 0 : count }]
}
