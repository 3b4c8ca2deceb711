// Which conditions of a trigger hold now: a value, not a yes or no, because the record names what fired.

import type { ProviderState } from '../../model/state.ts'
import type { TriggerCondition, TriggerDocument } from '../../model/trigger.ts'

export interface Moment {
  /** Epoch ms. */
  readonly at: number
  /** Finished calls of the prompt, this one included. */
  readonly calls: number
  /** Whether the trigger's file exists; `unknown` does not fire. */
  readonly fileExists: boolean | 'unknown'
  /** Whether this provider's file trigger fired before, in this session. */
  readonly fileFired: boolean
}

const NONE: readonly TriggerCondition[] = []

export function firedConditions(
  trigger: TriggerDocument,
  state: ProviderState,
  moment: Moment,
): readonly TriggerCondition[] {
  const { every_n_calls: calls, every_n_seconds: seconds } = trigger
  const byCalls = calls !== undefined && moment.calls - state.callsAtDelivery >= calls
  const byTime = seconds !== undefined && secondsSince(state, moment.at) >= seconds
  const byFile =
    trigger.on_file_created !== undefined && !moment.fileFired && moment.fileExists === true
  if (!(byCalls || byTime || byFile)) return NONE
  const fired: TriggerCondition[] = []
  if (byCalls) fired.push('every_n_calls')
  if (byTime) fired.push('every_n_seconds')
  if (byFile) fired.push('on_file_created')
  return fired
}

/** Infinite while nothing was delivered: the first opportunity fires. */
function secondsSince(state: ProviderState, at: number): number {
  return state.deliveredAt === null ? Number.POSITIVE_INFINITY : (at - state.deliveredAt) / 1000
}
