// A browser has no evaluator of conditions. It takes their values from a server, which asks for them by the same function in the same order.
import type { CompiledConfig } from '../engine/compile.ts'
import { type CheckOutcome, listLeaves, replaceLeaves } from '../kinds/checkers/checker.ts'
import { createWorkLimit } from '../model/expression-engine.ts'
import type { SessionState } from '../model/state.ts'

/** A condition that names the stop is unknown before it, whatever its value here. */
const NO_STOP = { via: 'turn_end' } as const

/**
 * The returned function evaluates each condition of the checker once at a state. Its config has these results as those of its
 * conditions; equal results give the same object.
 */
export function conditionSettler(config: CompiledConfig): (state: SessionState) => CompiledConfig {
  const { checker } = config
  const leaves =
    checker === null ? [] : listLeaves(checker).filter(({ type }) => type === 'expression')
  if (checker === null || leaves.length === 0) return () => config
  const settled = new Map<string, CompiledConfig>()
  return (state) => {
    const context = { state, stop: NO_STOP, left: createWorkLimit(state) }
    const outcomes = new Map<string, CheckOutcome>(
      leaves.map((leaf) => [leaf.id, leaf.check(context)]),
    )
    const key = JSON.stringify([...outcomes].map(([id, { code }]) => [id, code]))
    const known = settled.get(key)
    if (known !== undefined) return known
    const fixed = {
      ...config,
      checker: replaceLeaves(checker, (leaf) => {
        const result = outcomes.get(leaf.id)
        return result === undefined ? leaf : { ...leaf, check: () => result }
      }),
    }
    settled.set(key, fixed)
    return fixed
  }
}
