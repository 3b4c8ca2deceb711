// May the agent stop? Exhausted deadline or budget bypasses the checks; an incomplete check blocks, until the limit of
// blocked stops is reached (specs/completion.md).
import type { CompiledConfig } from '../compile.ts'
import type { BypassCause, CheckResult, StopDecision } from '../effect.ts'
import type { BudgetLimits, EventOf, StopAttempted } from '../event.ts'
import type { JsonObject } from '../json.ts'
import type { SessionState, Usage } from '../state.ts'
import { isComplete } from './checker.ts'
import { runChecker, untouched } from './tree.ts'

const NO_FEEDBACK = 'Tasks are incomplete.'

export function decideStop(
  config: CompiledConfig,
  state: SessionState,
  { at, data: stop }: EventOf<'stop.attempted'>,
): StopDecision {
  const attempt = { attempt: state.stops.attempts + 1, prior_blocks: state.stops.blocks }
  const { checker } = config
  if (checker === null) {
    return {
      ...attempt,
      verdict: 'no_checker',
      code: 'stop.no_checker',
      params: {},
      message: null,
      check: null,
    }
  }
  const exhausted = exhaustion(state, at)
  if (exhausted !== null) {
    const { bypass, params } = exhausted
    const check = untouched(checker, 'bypassed', { cause: bypass })
    return {
      ...attempt,
      verdict: 'bypassed',
      bypass,
      code: `stop.${bypass}`,
      params,
      message: null,
      check,
    }
  }
  const check = runChecker(checker, { state, stop }, 'short_circuit')
  if (isComplete(check)) {
    return {
      ...attempt,
      verdict: 'allowed',
      code: check.code,
      params: check.params,
      message: null,
      check,
    }
  }
  return { ...attempt, ...refuse(check, { state, stop, limit: config.maxStopBlocks }) }
}

interface Refusal {
  readonly state: SessionState
  readonly stop: StopAttempted
  readonly limit: number
}

function refuse(
  check: CheckResult,
  { state, stop, limit }: Refusal,
): Omit<StopDecision, 'attempt' | 'prior_blocks'> {
  const cap = Math.min(limit, stop.harness_max_blocks ?? limit)
  if (state.stops.blocks >= cap && stop.via !== 'final') {
    const params = { limit: cap }
    return {
      verdict: 'bypassed',
      bypass: 'max_blocks',
      code: 'stop.max_blocks',
      params,
      message: null,
      check,
    }
  }
  const deciding = decidingCheck(check)
  return {
    verdict: check.status === 'error' ? 'error' : 'blocked',
    code: deciding.code,
    params: deciding.params,
    message: check.feedback || NO_FEEDBACK,
    check,
  }
}

/** The leaf that blocked, so that the reason is about it and not about the composite around it. */
function decidingCheck(check: CheckResult): CheckResult {
  const cause = check.params['cause']
  const child = check.children?.find((candidate) => candidate.checker === cause)
  return child === undefined ? check : decidingCheck(child)
}

/** Why the checks are bypassed; null: they are not. */
export function exhaustion(
  state: SessionState,
  at: number,
): { readonly bypass: BypassCause; readonly params: JsonObject } | null {
  if (state.deadlineAt !== null && state.deadlineAt <= at) {
    return { bypass: 'deadline', params: { overdue_ms: at - state.deadlineAt } }
  }
  const spent = state.budget === null ? null : spentDimension(state.budget, state.usage)
  return spent === null ? null : { bypass: 'budget', params: spent }
}

function spentDimension(budget: BudgetLimits, usage: Usage): JsonObject | null {
  const dimensions = [
    ['total_tokens', usage.total, budget.max_total_tokens],
    ['input_tokens', usage.input, budget.max_input_tokens],
    ['output_tokens', usage.output, budget.max_output_tokens],
  ] as const
  for (const [dimension, used, limit] of dimensions) {
    if (limit !== undefined && used >= limit) return { dimension, used, limit }
  }
  return null
}
