// Leaves out each part of the tree and evaluates the rest with the same recorded facts.
import type { CompiledConfig } from '../../engine/compile.ts'
import { type Checker, isComplete } from '../../kinds/checkers/checker.ts'
import { runChecker } from '../../kinds/checkers/tree.ts'
import type { EventOf } from '../../model/event.ts'
import type { SessionState } from '../../model/state.ts'

const NOTHING: readonly string[] = []

/**
 * Ids of checkers, in document order: without any one of them, the stop would have passed. Lists a child instead of its composite where
 * that suffices, and never the whole tree of several. Empty: no single checker, or the stop passed. `state` is the state before the attempt.
 */
export function releasingChecks(
  config: CompiledConfig,
  state: SessionState,
  attempt: EventOf<'stop.attempted'>,
): readonly string[] {
  const { checker: root } = config
  if (root === null) return []
  const context = { state, stop: attempt.data }
  const passes = (tree: Checker | null): boolean =>
    tree === null || isComplete(runChecker(tree, context, 'short_circuit'))
  if (passes(root)) return []
  const releasing = (checker: Checker): readonly string[] => {
    const within = checker.kind === 'composite' ? checker.children.flatMap(releasing) : NOTHING
    if (within.length > 0 || (checker === root && within !== NOTHING)) return within
    return passes(without(root, checker)) ? [checker.id] : []
  }
  return releasing(root)
}

/** null: no checker is left. */
function without(tree: Checker, left: Checker): Checker | null {
  if (tree === left) return null
  if (tree.kind === 'leaf') return tree
  return { ...tree, children: tree.children.flatMap((child) => without(child, left) ?? []) }
}
