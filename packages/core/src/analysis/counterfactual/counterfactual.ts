// Folds the same log again with a change (specs/analysis.md).
import type { Effect } from '../../model/effect.ts'
import type { SessionEvent } from '../../model/event.ts'
import type { Problem } from '../../model/problem.ts'
import { governedSteps, type RanUnder } from '../../tighten/governing.ts'
import { type DecisionDifference, decisionDifferences } from '../base/decision-difference.ts'
import { applyChange, type Played } from './apply-change.ts'
import type { Change } from './change.ts'

export type Counterfactual =
  | {
      readonly ok: true
      /** Sequence number of the first event after which the agent would have noticed a difference; null: it would have noticed none. */
      readonly firstDivergence: number | null
      /** Differences up to and including the first divergence; these are exact. */
      readonly changed: readonly DecisionDifference[]
      readonly afterwards: readonly DecisionDifference[]
    }
  | { readonly ok: false; readonly problems: readonly Problem[] }

export function counterfactual(
  ranUnder: RanUnder,
  events: readonly SessionEvent[],
  change: Change,
): Counterfactual {
  const variant = applyChange({ ranUnder, events }, change)
  if (!variant.ok) return variant
  const before = decisionsBySeq({ ranUnder, events })
  const after = decisionsBySeq(variant.played)
  // An event that only one of the logs contains cannot be compared.
  const differences = [...before].flatMap(([seq, effects]) =>
    decisionDifferences(seq, effects, after.get(seq) ?? effects),
  )
  const firstDivergence = differences.find(({ acts }) => acts)?.seq ?? null
  const isExact = ({ seq }: DecisionDifference): boolean =>
    firstDivergence === null || seq <= firstDivergence
  return {
    ok: true,
    firstDivergence,
    changed: differences.filter(isExact),
    afterwards: differences.filter((difference) => !isExact(difference)),
  }
}

function decisionsBySeq({ ranUnder, events }: Played): ReadonlyMap<number, readonly Effect[]> {
  const decisions = new Map<number, readonly Effect[]>()
  for (const { event, effects } of governedSteps(ranUnder, events)) {
    decisions.set(event.seq, effects)
  }
  return decisions
}
