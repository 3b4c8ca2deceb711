// Without short circuits, to show the results of skipped checks.
import type { CompiledConfig } from '../engine/compile.ts'
import { runChecker } from '../kinds/checkers/tree.ts'
import type { CheckResult } from '../model/effect.ts'
import type { EventOf } from '../model/event.ts'
import type { SessionState } from '../model/state.ts'

/** null: the config has no checker. `state` is the state before the attempt. */
export function evaluateAll(
  config: CompiledConfig,
  state: SessionState,
  attempt: EventOf<'stop.attempted'>,
): CheckResult | null {
  if (config.checker === null) return null
  return runChecker(config.checker, { state, stop: attempt.data }, 'everything')
}
