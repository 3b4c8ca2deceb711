// Evaluates the checker tree. Short-circuiting leaves children `not_evaluated`, with the checker that decided: every
// checker of the config appears in the result once, whatever happened to it.
import type { CheckResult, CheckStatus } from '../effect.ts'
import type { JsonObject } from '../json.ts'
import {
  type CheckContext,
  type Checker,
  type CompositeChecker,
  isComplete,
  type LeafChecker,
} from './checker.ts'

export type Evaluation = 'short_circuit' | 'everything'

export function runChecker(
  checker: Checker,
  context: CheckContext,
  evaluation: Evaluation,
): CheckResult {
  return checker.kind === 'leaf'
    ? runLeaf(checker, context)
    : runComposite(checker, context, evaluation)
}

function runLeaf(checker: LeafChecker, context: CheckContext): CheckResult {
  try {
    return { ...headOf(checker), ...checker.check(context) }
  } catch {
    const feedback = `Checker '${checker.id}' could not be evaluated.`
    const code = 'checker.threw'
    return { ...headOf(checker), status: 'error', code, params: {}, feedback, because: [] }
  }
}

function runComposite(
  checker: CompositeChecker,
  context: CheckContext,
  evaluation: Evaluation,
): CheckResult {
  const children: CheckResult[] = []
  let decisive: CheckResult | null = null
  for (const child of checker.children) {
    if (decisive !== null && evaluation === 'short_circuit') {
      children.push(untouched(child, 'not_evaluated', { cause: decisive.checker }))
      continue
    }
    const result = runChecker(child, context, evaluation)
    children.push(result)
    if (decisive === null && isComplete(result) !== checker.allMustPass) decisive = result
  }
  return conclude(checker, children, decisive)
}

/** `decisive`: the first failure in all-mode, the first success in any-mode. */
function conclude(
  checker: CompositeChecker,
  children: readonly CheckResult[],
  decisive: CheckResult | null,
): CheckResult {
  const head = { ...headOf(checker), children }
  if (decisive !== null) {
    const code = checker.allMustPass ? 'composite.child_incomplete' : 'composite.child_passed'
    const { status, feedback, because } = decisive
    return { ...head, status, code, params: { cause: decisive.checker }, feedback, because }
  }
  const because = [...new Set(children.flatMap((child) => child.because))].sort((a, b) => a - b)
  const heard = children.flatMap((child) => child.feedback ?? []).join(' ')
  if (children.length === 0) {
    const feedback = 'No checkers configured.'
    return {
      ...head,
      status: 'nothing_to_check',
      code: 'composite.empty',
      params: {},
      feedback,
      because,
    }
  }
  if (!checker.allMustPass) {
    const feedback = heard || 'No checks passed.'
    return {
      ...head,
      status: worst(children),
      code: 'composite.none_passed',
      params: {},
      feedback,
      because,
    }
  }
  const status = children.some((child) => child.status === 'passed') ? 'passed' : 'nothing_to_check'
  const feedback = heard || 'All checks passed.'
  return { ...head, status, code: 'composite.all_passed', params: {}, feedback, because }
}

/** Of failing children: an error only when nothing else failed, because then nothing is known to be incomplete. */
function worst(children: readonly CheckResult[]): CheckStatus {
  return children.every((child) => child.status === 'error') ? 'error' : 'incomplete'
}

/** The tree with one status throughout, for checks that did not run. */
export function untouched(
  checker: Checker,
  status: 'not_evaluated' | 'bypassed',
  params: JsonObject,
): CheckResult {
  const result: CheckResult = {
    ...headOf(checker),
    status,
    code: `check.${status}`,
    params,
    feedback: null,
    because: [],
  }
  if (checker.kind === 'leaf') return result
  return { ...result, children: checker.children.map((child) => untouched(child, status, params)) }
}

function headOf(checker: Checker): Pick<CheckResult, 'checker' | 'pointer' | 'type'> {
  return { checker: checker.id, pointer: checker.pointer, type: checker.type }
}
