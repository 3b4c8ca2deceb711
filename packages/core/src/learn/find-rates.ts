// Ceilings that good sessions stay below and bad ones pass. Without bad sessions, a ceiling is only the size of the sample.
import { perSecondsText, plural, timesText } from '../model/count-text.ts'
import { WINDOWS } from './count-rates.ts'
import { FAMILIES, findGroup, type Group, type LearnCounts } from './counts.ts'
import type { Pattern, Samples } from './pattern.ts'
import { nameRule } from './rule-name.ts'
import { countDigits, isDifferent, type Share, testDifference } from './statistics.ts'

const FEWEST_BAD = 3
/** The next good session may make one call more than those before. */
const MARGIN = 1
const CERTAIN = 0.01
const QUANTILE = 0.99
/** A row of fewer is no row. */
const SHORTEST_ROW = 3

interface Ceiling {
  readonly most: number
  readonly good: Share
  readonly bad: Share
  readonly surprise: number
}

function toHistogram(group: Group): ReadonlyMap<number, number> {
  return new Map([...group].map(([value, count]) => [Number(value), count]))
}

function countAbove(histogram: ReadonlyMap<number, number>, ceiling: number): Share {
  let [of, all] = [0, 0]
  for (const [value, count] of histogram) {
    all += count
    if (value > ceiling) of += count
  }
  return { of, all }
}

function findQuantile(histogram: ReadonlyMap<number, number>): number {
  const { all } = countAbove(histogram, 0)
  let seen = 0
  for (const [value, count] of [...histogram].sort(([a], [b]) => a - b)) {
    seen += count
    if (seen >= all * QUANTILE) return value
  }
  return 0
}

function findCeiling(
  { limits }: Samples,
  [goodGroup, badGroup]: readonly [Group, Group],
): Ceiling | null {
  const [good, bad] = [toHistogram(goodGroup), toHistogram(badGroup)]
  const most = Math.max(1, findQuantile(good))
  const [above, badAbove] = [countAbove(good, most), countAbove(bad, most)]
  if (above.all < limits.minSessions) return null
  const far = { good: countAbove(good, most + MARGIN), bad: countAbove(bad, most + MARGIN) }
  if (!isDifferent(far, FEWEST_BAD, CERTAIN)) return null
  const surprise = countDigits(testDifference(far.bad, far.good))
  return { most, good: above, bad: badAbove, surprise }
}

const MEASURED = { chance: null, unknownEffects: [] }

export function findRates(samples: Samples): readonly Pattern[] {
  return [...findGroup(samples.good, FAMILIES.called).keys()].flatMap((tool) => {
    const ceilings = WINDOWS.flatMap((seconds) => {
      const groups = readBoth(samples, (counts) => findGroup(counts, FAMILIES.rate, tool, seconds))
      const ceiling = findCeiling(samples, groups)
      return ceiling === null ? [] : [{ ...ceiling, seconds }]
    })
    const [best] = ceilings.sort(
      (a, b) => b.bad.of - a.bad.of || a.most - b.most || b.seconds - a.seconds,
    )
    if (best === undefined) return []
    const id = nameRule(tool, 'rate')
    const limit = { max_calls: best.most, per_seconds: best.seconds }
    return [
      {
        kind: 'rate' as const,
        placed: {
          pointer: '/policies/-' as const,
          rule: { id, type: 'rate_limit' as const, tools: [tool], ...limit },
        },
        sentence: `At most ${plural(best.most, 'call')} of \`${tool}\` ${perSecondsText(best.seconds)}`,
        good: best.good,
        bad: best.bad,
        surprise: best.surprise,
        ...MEASURED,
      },
    ]
  })
}

function readBoth(
  { good, bad }: Samples,
  read: (counts: LearnCounts) => Group,
): readonly [Group, Group] {
  return [read(good), read(bad)]
}

/** Advice: no policy can see rows of calls. */
export function findRows(samples: Samples, rates: readonly Pattern[]): readonly Pattern[] {
  const trigger = { every_n_calls: 1 }
  const repeats = findRepeats(samples, rates)
  const failures = [...findGroup(samples.good, FAMILIES.called).keys()].flatMap((tool) => {
    const groups = readBoth(samples, (counts) => findGroup(counts, FAMILIES.failures, tool))
    const ceiling = findCeiling(samples, groups)
    return ceiling === null || ceiling.most + 1 < SHORTEST_ROW ? [] : [{ tool, ceiling }]
  })
  return [
    ...failures.map(({ tool, ceiling }) => ({
      kind: 'failures' as const,
      placed: {
        pointer: '/feedback_providers/-' as const,
        rule: {
          id: nameRule(tool, 'failures'),
          type: 'repeated_failure' as const,
          tool,
          times: ceiling.most + 1,
          trigger,
        },
      },
      sentence: `\`${tool}\` failed at most ${timesText(ceiling.most)} in a row`,
      good: ceiling.good,
      bad: ceiling.bad,
      surprise: ceiling.surprise,
      ...MEASURED,
    })),
    ...(repeats === null
      ? []
      : [
          {
            kind: 'repeats' as const,
            placed: {
              pointer: '/feedback_providers/-' as const,
              rule: {
                id: 'repeated-calls',
                type: 'repeated_call' as const,
                times: repeats.most + 1,
                trigger,
              },
            },
            sentence: `The same call was made at most ${timesText(repeats.most)} in a row`,
            good: repeats.good,
            bad: repeats.bad,
            surprise: repeats.surprise,
            ...MEASURED,
          },
        ]),
  ]
}

/** A row of equal calls, of any tool. A burst is such a row, too, and the ceiling of its tool states it better. */
function findRepeats(samples: Samples, rates: readonly Pattern[]): Ceiling | null {
  const groups = readBoth(samples, (counts) => findGroup(counts, FAMILIES.repeats))
  const ceiling = findCeiling(samples, groups)
  if (ceiling === null || ceiling.most + 1 < SHORTEST_ROW) return null
  const bursts = rates.reduce((sum, { bad }) => sum + bad.of, 0)
  return ceiling.bad.of > bursts ? ceiling : null
}
