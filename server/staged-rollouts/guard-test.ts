// A test by betting (specs/staged-rollouts.md, decision 27): it may be evaluated after every session, and raises a false alarm with
// probability ALPHA at most. Pure; its state is JSON.

/** Highest probability of ever firing for a candidate that is not worse than the limit allows. */
export const ALPHA = 0.01

/** Stakes, as shares of the largest stake that cannot lose everything. Their mixture bets well on small and on large effects. */
const STAKES = [0.02, 0.05, 0.1, 0.2, 0.4, 0.7, 0.95] as const

/** A session counts for at most this many times the base's average, so that one runaway session proves nothing. */
const CAP_FACTOR = 4
const MOST_CAP = 100

export type Cohort = 'base' | 'candidate'

interface Tally {
  readonly sessions: number
  /** Sum without the cap. */
  readonly total: number
}

interface Waiting {
  readonly count: number
  readonly sum: number
}

export interface GuardTest {
  readonly base: Tally
  readonly candidate: Tally
  /** Logarithm of the current value of each stake. */
  readonly wealth: readonly number[]
  /** Capped values of sessions that have no counterpart yet. */
  readonly waiting: { readonly base: Waiting; readonly candidate: Waiting; readonly cap: number }
}

const NONE: Waiting = { count: 0, sum: 0 }

export const NOTHING_SEEN: GuardTest = {
  base: { sessions: 0, total: 0 },
  candidate: { sessions: 0, total: 0 },
  wealth: STAKES.map(() => 0),
  waiting: { base: NONE, candidate: NONE, cap: 1 },
}

export interface Observation {
  readonly cohort: Cohort
  readonly value: number
}

/** The order of sessions must not depend on their values. `ratio`: highest allowed multiple of the base's mean, at least 1. */
export function observe(test: GuardTest, { cohort, value }: Observation, ratio: number): GuardTest {
  const { cap } = test.waiting
  const waiting = {
    ...test.waiting,
    [cohort]: {
      count: test.waiting[cohort].count + 1,
      sum: test.waiting[cohort].sum + Math.min(value, cap),
    },
  }
  const tally = { sessions: test[cohort].sessions + 1, total: test[cohort].total + value }
  const seen = { ...test, [cohort]: tally, waiting }
  return waiting.base.count > 0 && waiting.candidate.count > 0 ? settle(seen, ratio) : seen
}

/** The bet: the candidate's mean minus the allowed one, from -ratio to 1. Within the limit, its expected gain is not positive. */
function settle(test: GuardTest, ratio: number): GuardTest {
  const { base, candidate, cap } = test.waiting
  const gain = (candidate.sum / candidate.count - (ratio * base.sum) / base.count) / cap
  return {
    ...test,
    wealth: STAKES.map((stake, i) => (test.wealth[i] ?? 0) + Math.log1p((stake / ratio) * gain)),
    waiting: { base: NONE, candidate: NONE, cap: capFor(test.base) },
  }
}

function capFor({ sessions, total }: Tally): number {
  const mean = sessions === 0 ? 0 : total / sessions
  return Math.min(MOST_CAP, Math.max(1, Math.ceil(CAP_FACTOR * mean)))
}

/** Factor by which the mixture of bets has multiplied its stake; the test fires at 1 / ALPHA. */
export function computeEvidence({ wealth }: GuardTest): number {
  return wealth.reduce((sum, each) => sum + Math.exp(Math.min(each, 600)), 0) / STAKES.length
}

export type Verdict = 'too_few' | 'no_worse' | 'worse'

export function computeVerdict(test: GuardTest, minSessions: number): Verdict {
  if (Math.min(test.base.sessions, test.candidate.sessions) < minSessions) return 'too_few'
  return computeEvidence(test) >= 1 / ALPHA ? 'worse' : 'no_worse'
}

/** Mean per session; null: no session yet. */
export function computeMean({ sessions, total }: Tally): number | null {
  return sessions === 0 ? null : total / sessions
}
