import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  ALPHA,
  computeEvidence,
  computeVerdict,
  type GuardTest,
  NOTHING_SEEN,
  observe,
} from './guard-test.ts'

/** mulberry32: the same numbers for the same seed, everywhere. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function poisson(random: () => number, mean: number): number {
  const limit = Math.exp(-mean)
  let count = 0
  for (let product = random(); product > limit; product *= random()) count += 1
  return count
}

interface Run {
  readonly base: (random: () => number) => number
  readonly candidate: (random: () => number) => number
  readonly share: number
  readonly ratio: number
  readonly sessions: number
}

function firedAfter(run: Run, seed: number): number | null {
  const random = createRandom(seed)
  let test: GuardTest = NOTHING_SEEN
  for (let i = 1; i <= run.sessions; i++) {
    const cohort = random() < run.share ? 'candidate' : 'base'
    test = observe(test, { cohort, value: run[cohort](random) }, run.ratio)
    if (computeVerdict(test, 20) === 'worse') return i
  }
  return null
}

function fires(run: Run, seeds: number): readonly number[] {
  return Array.from({ length: seeds }, (_, seed) => firedAfter(run, seed + 1)).filter(
    (after) => after !== null,
  )
}

const rate = (mean: number) => (random: () => number) => poisson(random, mean)
const chance = (p: number) => (random: () => number) => (random() < p ? 1 : 0)

describe('false alarms of the sequential test', () => {
  const equal = {
    'one denial per session': { base: rate(1), candidate: rate(1) },
    'rare denials': { base: chance(0.05), candidate: chance(0.05) },
    'many denials': { base: rate(30), candidate: rate(30) },
    'no denials': { base: () => 0, candidate: () => 0 },
  }
  it.each(Object.entries(equal))(
    'affect at most ALPHA of the runs with %s in both cohorts',
    (_, cohorts) => {
      const run = { ...cohorts, share: 0.1, ratio: 1.25, sessions: 1500 }
      expect(fires(run, 200).length).toBeLessThanOrEqual(200 * ALPHA)
    },
  )

  it('affect at most ALPHA of the runs exactly at the limit, with five standard deviations of tolerance', () => {
    const run = {
      base: chance(0.2),
      candidate: chance(0.3),
      share: 0.5,
      ratio: 1.5,
      sessions: 1500,
    }
    const seeds = 400
    const most = seeds * ALPHA + 5 * Math.sqrt(seeds * ALPHA * (1 - ALPHA))
    expect(fires(run, seeds).length).toBeLessThanOrEqual(most)
  })

  it('false alarms of the sequential test are not caused by one runaway session in the candidate', () => {
    let test = NOTHING_SEEN
    for (let i = 0; i < 60; i++) {
      test = observe(test, { cohort: 'base', value: 1 }, 1.25)
      test = observe(test, { cohort: 'candidate', value: i === 30 ? 100_000 : 1 }, 1.25)
    }
    expect(computeVerdict(test, 20)).toBe('no_worse')
  })
})

describe('detection of a clearly worse candidate', () => {
  it('succeeds in nearly every run at twice the denials', () => {
    const run = { base: rate(1), candidate: rate(2), share: 0.1, ratio: 1.25, sessions: 4000 }
    expect(fires(run, 100).length).toBeGreaterThanOrEqual(99)
  })

  it('succeeds in nearly every run at twice as many sessions with a denial', () => {
    const run = {
      base: chance(0.2),
      candidate: chance(0.4),
      share: 0.5,
      ratio: 1.25,
      sessions: 2000,
    }
    expect(fires(run, 100).length).toBeGreaterThanOrEqual(99)
  })

  it('succeeds as soon as there are enough sessions when denials are new', () => {
    const run = { base: () => 0, candidate: () => 1, share: 0.5, ratio: 1.25, sessions: 100 }
    for (const after of fires(run, 50)) expect(after).toBeLessThan(80)
    expect(fires(run, 50)).toHaveLength(50)
  })
})

it('the sequential test decides nothing below the minimum of sessions in either cohort', () => {
  let test = NOTHING_SEEN
  for (let i = 0; i < 50; i++) test = observe(test, { cohort: 'base', value: 0 }, 1.25)
  for (let i = 0; i < 19; i++) test = observe(test, { cohort: 'candidate', value: 9 }, 1.25)
  expect(computeVerdict(test, 20)).toBe('too_few')
})

it('the sequential test continues from its JSON with the same result, and its wealth stays positive', () => {
  const sessions = fc.array(
    fc.record({
      cohort: fc.constantFrom('base' as const, 'candidate' as const),
      value: fc.nat({ max: 1000 }),
    }),
    { maxLength: 200 },
  )
  fc.assert(
    fc.property(sessions, fc.double({ min: 1, max: 10, noNaN: true }), (list, ratio) => {
      const through = (test: GuardTest): GuardTest => JSON.parse(JSON.stringify(test))
      const whole = list.reduce((test, each) => observe(test, each, ratio), NOTHING_SEEN)
      const cut = list.reduce((test, each) => observe(through(test), each, ratio), NOTHING_SEEN)
      expect(cut).toEqual(whole)
      expect(Number.isFinite(computeEvidence(whole))).toBe(true)
      expect(computeEvidence(whole)).toBeGreaterThan(0)
    }),
  )
})
