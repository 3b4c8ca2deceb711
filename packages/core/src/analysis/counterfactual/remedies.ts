// Each change is tried by folding the log again.
import type { SessionEvent } from '../../model/event.ts'
import { governedSteps, type RanUnder } from '../../tighten/governing.ts'
import { type Decision, findDecision } from '../explain/find-decision.ts'
import { trailBefore } from '../explain/trail.ts'
import { applyChanges, type Played } from './apply-change.ts'
import type { Change } from './change.ts'
import { type Denial, optionsFor, type RemedyOption } from './remedy-options.ts'

export interface Remedy {
  /** All of them are needed; none is sufficient alone. */
  readonly changes: readonly Change[]
  /** “If …”, without a period; Markdown code spans mark names. */
  readonly text: string
  readonly outcome: 'allowed' | 'waits'
}

/** Limit on combinations that are tried; each costs one fold of the log. */
const MOST_TRIED = 200

/**
 * Smallest first. Empty if the event decides no call, the call was allowed, or no change that was tried would have allowed it. `seq` as for
 * `explain`.
 */
export function remedies(
  ranUnder: RanUnder,
  events: readonly SessionEvent[],
  seq: number,
): readonly Remedy[] {
  const decision = findDecision(ranUnder, events, seq)
  if (decision === null) return []
  const head = events.filter((event) => event.seq <= decision.event.seq)
  const denial: Denial = {
    config: decision.config,
    events: head,
    decision,
    trail: trailBefore(governedSteps(ranUnder, head), decision.event.seq),
  }
  const played: Played = { ranUnder, events: head }
  const found: Remedy[] = []
  for (const option of combinations(denial)) {
    if (found.some((known) => contains(option.changes, known.changes))) continue
    const outcome = findRemedyOutcome(played, decision, option.changes)
    if (outcome !== null)
      found.push({ changes: option.changes, text: `If ${option.clause}`, outcome })
  }
  return found
}

function combinations(denial: Denial): readonly RemedyOption[] {
  const against = deniers(denial.decision)
  let joined: readonly RemedyOption[] = against.length === 0 ? [] : [{ changes: [], clause: '' }]
  for (const rule of against) {
    const options = optionsFor(rule, denial)
    joined = joined.flatMap((one) => options.map((other) => both(one, other))).slice(0, MOST_TRIED)
  }
  return [...joined].sort((a, b) => a.changes.length - b.changes.length)
}

function deniers({ effects }: Decision) {
  const decided = effects.find(({ kind }) => kind === 'tool.decided')
  if (decided?.kind !== 'tool.decided') return []
  return decided.data.rules.filter(({ mode, result }) => mode === 'enforce' && result !== 'allow')
}

function both(one: RemedyOption, other: RemedyOption): RemedyOption {
  const more = other.changes.filter((change) => !contains(one.changes, [change]))
  if (more.length === 0) return one
  const clause = one.clause === '' ? other.clause : `${one.clause} and ${other.clause}`
  return { changes: [...one.changes, ...more], clause }
}

/** This folder builds changes with their fields in one order, so equal changes have equal JSON. */
function contains(changes: readonly Change[], wanted: readonly Change[]): boolean {
  const known = new Set(changes.map((change) => JSON.stringify(change)))
  return wanted.every((change) => known.has(JSON.stringify(change)))
}

/** null: the call would still have been denied. */
function findRemedyOutcome(
  played: Played,
  { event: { seq } }: Decision,
  changes: readonly Change[],
): Remedy['outcome'] | null {
  const changed = applyChanges(played, changes)
  if (!changed.ok) return null
  const { ranUnder, events } = changed.played
  for (const effect of findDecision(ranUnder, events, seq)?.effects ?? []) {
    if (effect.kind === 'approval.requested') return 'waits'
    if (effect.kind === 'tool.decided') return effect.data.decision === 'allowed' ? 'allowed' : null
  }
  return null
}
