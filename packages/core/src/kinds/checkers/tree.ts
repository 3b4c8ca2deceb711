// Children that a short circuit skips appear as `not_evaluated`, so that every checker is in the result exactly once.
import type { CheckResult, CheckStatus } from '../../model/effect.ts'
import { createWorkLimit } from '../../model/expression-engine.ts'
import type { JsonObject } from '../../model/json.ts'
import {
  type CheckContext,
  type Checker,
  type CheckOutcome,
  type CompositeChecker,
  isComplete,
  type LeafChecker,
  outcome,
  type RunContext,
} from './checker.ts'

export type Evaluation = 'short_circuit' | 'everything'

export function runChecker(
  checker: Checker,
  context: CheckContext,
  evaluation: Evaluation,
): CheckResult {
  return run(checker, { ...context, left: createWorkLimit(context.state) }, evaluation)
}

function run(checker: Checker, context: RunContext, evaluation: Evaluation): CheckResult {
  return checker.kind === 'leaf'
    ? runLeaf(checker, context)
    : runComposite(checker, context, evaluation)
}

function runLeaf(checker: LeafChecker, context: RunContext): CheckResult {
  try {
    return { ...toResultHead(checker), ...checker.check(context) }
  } catch {
    const feedback = `Checker '${checker.id}' could not be evaluated.`
    return { ...toResultHead(checker), ...outcome('error', 'checker.threw', { feedback }) }
  }
}

function runComposite(
  checker: CompositeChecker,
  context: RunContext,
  evaluation: Evaluation,
): CheckResult {
  const children: CheckResult[] = []
  let decisive: CheckResult | null = null
  for (const child of checker.children) {
    if (decisive !== null && evaluation === 'short_circuit') {
      children.push(untouched(child, 'not_evaluated', { cause: decisive.checker }))
      continue
    }
    const result = run(child, context, evaluation)
    children.push(result)
    if (decisive === null && isComplete(result) !== checker.allMustPass) decisive = result
  }
  return { ...toResultHead(checker), children, ...conclude(checker, children, decisive) }
}

/** `decisive`: the first child that fails if all must pass, the first that passes otherwise; null: no child was decisive. */
function conclude(
  { allMustPass }: CompositeChecker,
  children: readonly CheckResult[],
  decisive: CheckResult | null,
): CheckOutcome {
  if (decisive !== null) {
    const { checker: cause, status, feedback, because } = decisive
    const code = allMustPass ? 'composite.child_incomplete' : 'composite.child_passed'
    return outcome(status, code, { params: { cause }, feedback, because })
  }
  const because = [...new Set(children.flatMap((child) => child.because))].sort((a, b) => a - b)
  if (children.length === 0) {
    const feedback = 'No checkers configured.'
    return outcome('nothing_to_check', 'composite.empty', { feedback, because })
  }
  const heard = children.flatMap((child) => child.feedback ?? []).join(' ')
  if (!allMustPass) {
    const feedback = heard || 'No checks passed.'
    return outcome(worst(children), 'composite.none_passed', { feedback, because })
  }
  const status = children.some((child) => child.status === 'passed') ? 'passed' : 'nothing_to_check'
  const feedback = heard || 'All checks passed.'
  return outcome(status, 'composite.all_passed', { feedback, because })
}

/** Status of children that all failed: `error` only if all are errors, because then no check is known to be incomplete. */
function worst(children: readonly CheckResult[]): CheckStatus {
  return children.every((child) => child.status === 'error') ? 'error' : 'incomplete'
}

/** Returns the tree with one status throughout, for checks that did not run. */
export function untouched(
  checker: Checker,
  status: 'not_evaluated' | 'bypassed',
  params: JsonObject,
): CheckResult {
  const result = { ...toResultHead(checker), ...outcome(status, `check.${status}`, { params }) }
  if (checker.kind === 'leaf') return result
  return { ...result, children: checker.children.map((child) => untouched(child, status, params)) }
}

function toResultHead(checker: Checker): Pick<CheckResult, 'checker' | 'pointer' | 'type'> {
  return { checker: checker.id, pointer: checker.pointer, type: checker.type }
}
