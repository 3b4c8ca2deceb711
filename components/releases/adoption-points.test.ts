import { expect, test } from 'vitest'
import { adoptionPoints } from './adoption-points.ts'

test('the adoption curve begins at zero, steps at each runtime, and ends at the current state', () => {
  const facts = { createdAt: 1_000, appliedAt: [1_200, 3_000], count: 2, until: 9_000 }
  expect(adoptionPoints(facts)).toEqual([
    { afterMs: 0, applied: 0 },
    { afterMs: 200, applied: 1 },
    { afterMs: 2_000, applied: 2 },
    { afterMs: 8_000, applied: 2 },
  ])
})

test('the adoption curve counts all runtimes when points are merged, and never decreases', () => {
  const appliedAt = Array.from({ length: 300 }, (_, i) => 1_000 + i)
  const points = adoptionPoints({ createdAt: 1_000, appliedAt, count: 1_000, until: 2_000 })
  const counts = points.map(({ applied }) => applied)
  expect(counts.at(-1)).toBe(1_000)
  expect(counts.toSorted((a, b) => a - b)).toEqual(counts)
})

test('the adoption curve handles a release without runtimes, and a clock that is behind', () => {
  expect(adoptionPoints({ createdAt: 5, appliedAt: [], count: 0, until: 6 })).toEqual([
    { afterMs: 0, applied: 0 },
    { afterMs: 1_000, applied: 0 },
  ])
  const early = adoptionPoints({ createdAt: 5_000, appliedAt: [4_000], count: 1, until: 5_000 })
  expect(early[1]).toEqual({ afterMs: 0, applied: 1 })
})
