// Rules that sessions have in common: time to count ten million events, and what is found in worlds with known rules.
import { performance } from 'node:perf_hooks'
import { encodeCounts, openLearner, propose } from '@signalbox/core/learn'
import { makeWorld, measureLearning, tellSession, toConfig } from '@signalbox/testkit'
import { note, perSecond, row, section } from './report.mjs'

const EVENTS = 10_000_000
const MOST_SECONDS = 60
const MOST_PROPOSE_MS = 100
const SESSIONS = 1000
/** Worlds that nothing was tuned on. */
const SEEDS = Array.from({ length: 12 }, (_, i) => 101 + i)
const NOISES = [0, 0.01, 0.03]
const SIZES = [100, 400, 1500]
const BAD = 20
const HELD_OUT = 300
const LEAST = 0.9

function measureSpeed() {
  const world = makeWorld(3)
  const tell = (from) =>
    Array.from({ length: SESSIONS }, (_, i) => tellSession(world, from + i, { noise: 0.01 }).events)
  const [logs, bad] = [tell(0), tell(SESSIONS).slice(0, BAD)]
  const learner = openLearner()
  const badLearner = openLearner()
  for (const log of bad) badLearner.add(log)
  let events = 0
  const from = performance.now()
  while (events < EVENTS)
    for (const log of logs) {
      learner.add(log)
      events += log.length
    }
  const seconds = (performance.now() - from) / 1000
  const counts = learner.counts()
  const sample = { good: counts, bad: badLearner.counts() }
  const times = Array.from({ length: 9 }, () => {
    const start = performance.now()
    propose(sample, toConfig([]))
    return performance.now() - start
  }).sort((a, b) => a - b)
  row('10 M events in memory', {
    figure: `${seconds.toFixed(1)} s`,
    bars: [{ text: `≤ ${MOST_SECONDS} s`, met: seconds <= MOST_SECONDS }],
  })
  note(
    `${perSecond(events, seconds, 'events')}; ${counts.sessions} sessions; counts ${Math.round(encodeCounts(counts).length / 1024)} KiB`,
  )
  row('propose', {
    times,
    unit: 'ms',
    bars: [{ text: `p99 ≤ ${MOST_PROPOSE_MS} ms`, met: (times.at(-1) ?? 0) <= MOST_PROPOSE_MS }],
  })
}

const share = (part, whole) => (whole === 0 ? '–' : (part / whole).toFixed(3))

function measureFound(good, noise) {
  const learned = measureLearning({
    seeds: SEEDS,
    good,
    bad: BAD,
    noise,
    heldOut: HELD_OUT,
    isTested: true,
  })
  const { hidden, found, foundAsGuards, guards, strictGuards } = learned
  row(`${good} good, ${BAD} bad, noise ${noise * 100}%`, {
    figure: `guards ${share(strictGuards, guards)}, found as guards ${share(foundAsGuards, hidden)}`,
    bars: [
      {
        text: `both ≥ ${LEAST}`,
        met: strictGuards / guards >= LEAST && foundAsGuards / hidden >= LEAST,
      },
    ],
  })
  note(
    `${hidden} rules: found ${share(found, hidden)}, kept by the test ${share(learned.foundAndKept, hidden)}`,
  )
  note(
    `${learned.proposals} proposals: hold ${share(learned.holding, learned.proposals)}, hidden rules ${share(learned.strict, learned.proposals)}; ${learned.kept} kept, of which hidden rules ${share(learned.strictKept, learned.kept)}`,
  )
  if (process.env['LEARN_NOTES'] !== undefined) for (const line of learned.notes) note(line)
}

export async function run() {
  section('Learn: rules that sessions have in common')
  measureSpeed()
  for (const noise of NOISES) for (const good of SIZES) measureFound(good, noise)
}
