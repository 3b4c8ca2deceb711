// An exhausted deadline or budget bypasses the checks; an incomplete check blocks the stop until the limit of blocked stops
// (specs/completion.md).

import { isComplete } from '../kinds/checkers/checker.ts'
import { runChecker, untouched } from '../kinds/checkers/tree.ts'
import { TASKS_INCOMPLETE } from '../model/default-texts.ts'
import type { BypassCause, CheckResult, StopDecision } from '../model/effect.ts'
import type { BudgetLimits, EventOf } from '../model/event.ts'
import type { JsonObject } from '../model/json.ts'
import type { SessionState, Usage } from '../model/state.ts'
import type { CompiledConfig } from './compile.ts'

export function decideStop(
  config: CompiledConfig,
  state: SessionState,
  event: EventOf<'stop.attempted'>,
): StopDecision {
  const { attempts, blocks } = state.stops
  return {
    attempt: attempts + 1,
    prior_blocks: blocks,
    ...computeStopVerdict(config, state, event),
  }
}

type Verdict = Omit<StopDecision, 'attempt' | 'prior_blocks'>

function computeStopVerdict(
  { checker, maxStopBlocks }: CompiledConfig,
  state: SessionState,
  { at, data: stop }: EventOf<'stop.attempted'>,
): Verdict {
  const overruled = endedByOrder(state) ?? (checker && exhaustion(state, at))
  if (overruled !== null) {
    const { bypass, params } = overruled
    return bypassed(bypass, params, checker && untouched(checker, 'bypassed', { cause: bypass }))
  }
  if (checker === null) {
    const code = 'stop.no_checker'
    return { verdict: 'no_checker', code, params: {}, message: null, check: null }
  }
  const check = runChecker(checker, { state, stop }, 'short_circuit')
  if (isComplete(check)) {
    const { code, params } = check
    return { verdict: 'allowed', code, params, message: null, check }
  }
  const limit = Math.min(maxStopBlocks, stop.harness_max_blocks ?? maxStopBlocks)
  if (state.stops.blocks >= limit && stop.via !== 'final') {
    return bypassed('max_blocks', { limit }, check)
  }
  const { code, params } = decidingCheck(check)
  const verdict = check.status === 'error' ? 'error' : 'blocked'
  return { verdict, code, params, message: check.feedback || TASKS_INCOMPLETE, check }
}

function bypassed(bypass: BypassCause, params: JsonObject, check: CheckResult | null): Verdict {
  return { verdict: 'bypassed', bypass, code: `stop.${bypass}`, params, message: null, check }
}

/** Returns the leaf that refused, so that the reason is about this leaf and not about a composite around it. */
export function decidingCheck(check: CheckResult): CheckResult {
  const cause = check.params['cause']
  const child = check.children?.find((candidate) => candidate.checker === cause)
  return child === undefined ? check : decidingCheck(child)
}

interface Overruled {
  readonly bypass: BypassCause
  readonly params: JsonObject
}

/** Null: no person ended the session. */
function endedByOrder({ control }: SessionState): Overruled | null {
  if (control?.action !== 'end') return null
  return { bypass: 'ended', params: { by: control.by, reason: control.reason } }
}

/** Exhausted deadline or budget, which bypasses the checks; null: neither is exhausted. */
export function exhaustion(
  state: Pick<SessionState, 'deadlineAt' | 'budget' | 'usage'>,
  at: number,
): Overruled | null {
  if (state.deadlineAt !== null && state.deadlineAt <= at) {
    return { bypass: 'deadline', params: { overdue_ms: at - state.deadlineAt } }
  }
  const spent = state.budget === null ? null : spentDimension(state.budget, state.usage)
  return spent === null ? null : { bypass: 'budget', params: spent }
}

function spentDimension(budget: BudgetLimits, usage: Usage): JsonObject | null {
  for (const kind of ['total', 'input', 'output'] as const) {
    const used = usage[kind]
    const limit = budget[`max_${kind}_tokens`]
    if (limit !== undefined && used >= limit) return { dimension: `${kind}_tokens`, used, limit }
  }
  return null
}
