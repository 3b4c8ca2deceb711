import type { CompiledConfig } from '../engine/compile.ts'
import { warning } from '../kinds/base/place.ts'
import { placeDocument } from '../kinds/placed.ts'
import type { Problem } from '../model/problem.ts'
import { answer, type ProveOptions, setLimits } from './prove.ts'

/** Warnings about policies that never decide, and about a checker that no run can satisfy any more. What is not known is left out. */
export function listProvenProblems(
  config: CompiledConfig,
  options: ProveOptions = {},
): readonly Problem[] {
  const limits = setLimits(options)
  const { policies, checkers } = placeDocument(config.document)
  const enforced = policies.filter(({ item }) => (item.mode ?? 'enforce') === 'enforce')
  const dead = enforced.flatMap(({ item, pointer }) => {
    const found = answer(config, { ask: 'decisive', rule: item.id }, limits)
    const message = `Whatever "${item.id}" refuses or asks about, another rule refuses, too. Remove it, or correct one of the two.`
    return found.answer === 'never' ? [warning(pointer, 'rule_never_decisive', message)] : []
  })
  const [root] = checkers
  if (root === undefined) return dead
  const trapped = answer(config, { ask: 'trapped' }, limits)
  const message =
    'The agent can get into a state from which no stop passes these checks: it is sent back until limits.max_stop_blocks is reached. `signalbox prove trapped` shows how.'
  return trapped.answer === 'trace'
    ? [...dead, warning(root.pointer, 'agent_can_be_trapped', message)]
    : dead
}
