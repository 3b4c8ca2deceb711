// The whole checker tree at a stop, without short-circuit: what the checks that were skipped would have said.
import type { CompiledConfig } from '../compile.ts'
import { runChecker } from '../completion/tree.ts'
import type { CheckResult } from '../effect.ts'
import type { EventOf } from '../event.ts'
import type { SessionState } from '../state.ts'

/** null without a checker. `state` is the state before the attempt. */
export function evaluateAll(
  config: CompiledConfig,
  state: SessionState,
  attempt: EventOf<'stop.attempted'>,
): CheckResult | null {
  if (config.checker === null) return null
  return runChecker(config.checker, { state, stop: attempt.data }, 'everything')
}
