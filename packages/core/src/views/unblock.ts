// The smallest set of steps that would let a stop pass: all-composites need every child's steps, any-composites the
// cheapest child's. Exact, because the tree is a monotone formula over independent steps.
import type { CompiledConfig } from '../compile.ts'
import {
  type CheckContext,
  type Checker,
  isComplete,
  type UnblockStep,
} from '../completion/checker.ts'
import { runChecker } from '../completion/tree.ts'
import type { CheckResult } from '../effect.ts'
import type { EventOf } from '../event.ts'
import type { SessionState } from '../state.ts'

/** Empty when nothing is missing or no checker is declared. `state` is the state before the attempt. */
export function unblock(
  config: CompiledConfig,
  state: SessionState,
  attempt: EventOf<'stop.attempted'>,
): readonly UnblockStep[] {
  if (config.checker === null) return []
  return stepsFor(config.checker, { state, stop: attempt.data })
}

function stepsFor(checker: Checker, context: CheckContext): readonly UnblockStep[] {
  if (isComplete(runChecker(checker, context, 'everything'))) return []
  if (checker.kind === 'leaf') return checker.missing(context)
  const options = checker.children.map((child) => stepsFor(child, context))
  if (checker.allMustPass) return options.flat()
  return options.reduce((best, option) => (option.length < best.length ? option : best))
}

/** The whole tree, without short-circuit: what the checks that were skipped would have said. */
export function evaluateAll(
  config: CompiledConfig,
  state: SessionState,
  attempt: EventOf<'stop.attempted'>,
): CheckResult | null {
  if (config.checker === null) return null
  return runChecker(config.checker, { state, stop: attempt.data }, 'everything')
}
