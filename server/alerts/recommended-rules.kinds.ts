// Alert rules that every project can use as they are. Pure: console and server use it.
import type { AlertSignal } from './signals.kinds.ts'

export interface RecommendedRule {
  readonly name: string
  readonly signal: AlertSignal
  readonly windowMinutes: number
  readonly threshold: number
  /** Sentence for the console. */
  readonly about: string
  /** True: on at install, in the project of the first admin. */
  readonly isOnAtInstall: boolean
}

/** In the order of the page. Each has a signal of its own. */
export const RECOMMENDED_RULES: readonly RecommendedRule[] = [
  {
    name: 'Stops are bypassed',
    signal: 'bypassed_stops',
    windowMinutes: 60,
    threshold: 3,
    about: '3 or more stops bypassed in 1 hour, per config.',
    isOnAtInstall: true,
  },
  {
    name: 'A runtime rejects a version',
    signal: 'runtimes_behind',
    windowMinutes: 5,
    threshold: 1,
    about: 'A runtime rejects a release, or stays behind for 5 minutes.',
    isOnAtInstall: true,
  },
  {
    name: 'Blocked again and again',
    signal: 'blocks_in_a_row',
    windowMinutes: 60,
    threshold: 3,
    about: 'The same check blocks a session 3 times in a row.',
    isOnAtInstall: true,
  },
  {
    name: 'Denials rise after a release',
    signal: 'denials_after_release',
    windowMinutes: 1440,
    threshold: 2,
    about: 'The share of denied calls doubles, counted from 50 calls.',
    isOnAtInstall: true,
  },
  {
    name: 'Rules could not be evaluated',
    signal: 'error_verdicts',
    windowMinutes: 10,
    threshold: 1,
    about: '1 or more calls denied because a rule failed, in 10 minutes.',
    isOnAtInstall: true,
  },
  {
    name: 'A session is lost',
    signal: 'lost_sessions',
    windowMinutes: 60,
    threshold: 1,
    about: 'No event for 5 minutes, and no runtime reports it.',
    isOnAtInstall: true,
  },
  {
    name: 'An approval waits too long',
    signal: 'approval_lapsing',
    windowMinutes: 1,
    threshold: 1,
    about: 'A call still waits when half of its time is over.',
    isOnAtInstall: false,
  },
  {
    name: 'A runtime goes silent',
    signal: 'silent_runtimes',
    windowMinutes: 2,
    threshold: 1,
    about: 'No heartbeat for 2 minutes while sessions run on it.',
    isOnAtInstall: false,
  },
  {
    name: 'Sessions run long',
    signal: 'long_sessions',
    windowMinutes: 60,
    threshold: 3,
    about: 'A session takes 3 times the median of its prompt.',
    isOnAtInstall: false,
  },
]
