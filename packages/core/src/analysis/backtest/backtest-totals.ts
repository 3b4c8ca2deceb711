import type { SessionBacktest } from './backtest-session.ts'
import type { Fidelity } from './fidelity.ts'
import { addVerdicts, NO_VERDICTS, type Verdicts } from './verdicts.ts'

export interface BacktestTotals {
  readonly sessions: number
  /** Sessions with any difference, and sessions whose agent would have noticed one. */
  readonly changedSessions: number
  readonly divergedSessions: number
  readonly events: number
  readonly decisions: number
  readonly changed: number
  readonly changedAfterwards: number
  readonly verdicts: Verdicts
  readonly verdictsAfterwards: Verdicts
  readonly rules: { readonly [rule: string]: { readonly [Name in Fidelity]: number } }
}

export const NO_BACKTESTS: BacktestTotals = {
  sessions: 0,
  changedSessions: 0,
  divergedSessions: 0,
  events: 0,
  decisions: 0,
  changed: 0,
  changedAfterwards: 0,
  verdicts: NO_VERDICTS,
  verdictsAfterwards: NO_VERDICTS,
  rules: {},
}

const NONE = { exact: 0, approximate: 0, cannot_replay: 0 }

/** Reducer. Sessions may arrive in any order, and totals may be stored as JSON in between. */
export function addBacktest(totals: BacktestTotals, session: SessionBacktest): BacktestTotals {
  const rules = Object.entries(session.rules).map(([rule, { fidelity }]) => {
    const known = Object.hasOwn(totals.rules, rule) ? (totals.rules[rule] ?? NONE) : NONE
    return [rule, { ...known, [fidelity]: known[fidelity] + 1 }] as const
  })
  const isChanged = session.changed + session.changedAfterwards > 0
  return {
    sessions: totals.sessions + 1,
    changedSessions: totals.changedSessions + (isChanged ? 1 : 0),
    divergedSessions: totals.divergedSessions + (session.firstDivergence === null ? 0 : 1),
    events: totals.events + session.events,
    decisions: totals.decisions + session.decisions,
    changed: totals.changed + session.changed,
    changedAfterwards: totals.changedAfterwards + session.changedAfterwards,
    verdicts: addVerdicts(totals.verdicts, session.verdicts),
    verdictsAfterwards: addVerdicts(totals.verdictsAfterwards, session.verdictsAfterwards),
    rules: { ...totals.rules, ...Object.fromEntries(rules) },
  }
}
