// @ts-check
// npm run chaos: all deaths as one schedule that a seed repeats, against a ledger of everything.
import fc from 'fast-check'
import { measureUsage } from '../product.mjs'
import { DEATHS } from './deaths.mjs'
import { countDecisions } from './ledger.mjs'
import { formatStatuses, isProven, proveDeaths } from './prove.mjs'

/** Neighboring seeds must not share rounds. */
const SEED_STEP = 100_003
const SHORTEST_CALM = 2
const LONGEST_CALM = 12

/** Yields every death once a round, in an order of its own, without end. @param {number} seed */
export function* scheduleDeaths(seed) {
  const names = Object.keys(DEATHS)
  const { length } = names
  const round = fc.tuple(
    fc.shuffledSubarray(names, { minLength: length }),
    fc.array(fc.integer({ min: SHORTEST_CALM, max: LONGEST_CALM }), {
      minLength: length,
      maxLength: length,
    }),
  )
  for (let number = 0; ; number++) {
    const [[order, calms] = [[], []]] = fc.sample(round, {
      seed: seed * SEED_STEP + number,
      numRuns: 1,
    })
    for (const [index, name] of order.entries())
      yield { name, calmSeconds: calms[index] ?? SHORTEST_CALM }
  }
}

/** @typedef {import('./prove.mjs').Outcome} Outcome */

/**
 * Resolves with true when nothing was lost, repeated or decided otherwise, and nothing else happened that must not.
 * @param {import('./site.mjs').Site} site
 * @param {{ minutes: number, seed: number, print: (line: string) => void }} options the last death begins before the time is over
 */
export async function runChaos(site, { minutes, seed, print }) {
  const began = performance.now()
  const minutesSince = () => (performance.now() - began) / 60_000
  /** @type {Outcome[]} */
  const outcomes = []
  /** @type {string[]} */
  const memory = []
  const measure = (/** @type {string} */ when) => {
    const sizes = site.webPids().map((pid) => `${measureUsage(pid).mib.toFixed(0)} MiB`)
    memory.push(`${when} (minute ${minutesSince().toFixed(0)}) ${sizes.join(' and ')}`)
  }
  function* strikes() {
    for (const strike of scheduleDeaths(seed)) {
      if (minutesSince() >= minutes) return
      if (memory.length === 1 && minutesSince() >= minutes / 2) measure('middle')
      yield strike
    }
  }
  measure('start')
  try {
    const total = await proveDeaths(site, strikes(), (outcome) => {
      outcomes.push(outcome)
      print(`${minutesSince().toFixed(1)} min  ${formatOutcome(outcome)}`)
      for (const fault of outcome.faults) print(`  FAULT ${fault}`)
    })
    measure('end')
    const { lost, duplicates, undecided } = await total.compare(site.database.url)
    const counted = await countDecisions(site.database.url)
    print(
      `all ${total.acknowledged} events again: ${lost} lost, ${duplicates} stored twice; ${total.decided} decisions, ${undecided} missing or too many, ${counted} in Analytics`,
    )
    const isWhole = lost + duplicates + undecided === 0 && counted === total.decided
    return isWhole && outcomes.every(isProven)
  } finally {
    print(formatTable(outcomes))
    print(`memory of the replicas: ${memory.join('; ')}`)
  }
}

/** @param {Outcome} outcome */
function formatOutcome({ death, pauseSeconds, acknowledged, lost, duplicates, statuses }) {
  return `${death}: pause ${pauseSeconds.toFixed(1)} s, ${acknowledged} acknowledged, ${lost} lost, ${duplicates} twice, ${formatStatuses(statuses)}`
}

/** One row for each death that struck, in Markdown. @param {readonly Outcome[]} outcomes */
function formatTable(outcomes) {
  const rows = Object.entries(DEATHS).flatMap(([name, { title }]) => {
    const own = outcomes.filter(({ death }) => death === name)
    if (own.length === 0) return []
    const sum = (/** @type {(outcome: Outcome) => number} */ read) =>
      own.reduce((total, outcome) => total + read(outcome), 0)
    const pauses = own.map(({ pauseSeconds }) => pauseSeconds).sort((a, b) => a - b)
    const middle = pauses[Math.floor(pauses.length / 2)] ?? 0
    const statuses = [
      ...new Set(own.flatMap((one) => [...one.statuses.keys(), ...one.pages.keys()])),
    ]
    const cells = [
      title,
      own.length,
      `${middle.toFixed(1)} s, ${(pauses.at(-1) ?? 0).toFixed(1)} s`,
      sum(({ acknowledged }) => acknowledged),
      sum(({ lost }) => lost),
      sum(({ duplicates }) => duplicates),
      statuses.sort().join(', '),
    ]
    return [`| ${cells.join(' | ')} |`]
  })
  return [
    '| Death | Times | Pause: median, longest | Events acknowledged | Lost | Twice | Statuses |',
    '|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}
