import { secondsText } from '../../model/count-text.ts'
import type { Advice } from '../../model/effect.ts'
import type { SessionState } from '../../model/state.ts'
import type { ProviderBase } from '../../model/trigger.ts'
import { durationText } from './duration.ts'
import { advice, createProvider, type Provider } from './provider.ts'
import type { ProviderWords } from './provider-rule.ts'
import { describeTrigger } from './trigger.ts'

/** Reports the remaining time, as a warning near the end. Silent without a deadline. */
export interface DeadlineProviderDocument extends ProviderBase {
  readonly type: 'deadline'
  /** Remaining seconds at which feedback becomes a warning. Absent: 120. */
  readonly warning_threshold_seconds?: number
}

export const DEFAULT_WARNING_THRESHOLD_SECONDS = 120

const DISPLAY_NAME = 'Deadline'

export function deadlineProvider(document: DeadlineProviderDocument): Provider {
  const threshold = document.warning_threshold_seconds ?? DEFAULT_WARNING_THRESHOLD_SECONDS
  return createProvider(DISPLAY_NAME, ({ state, at }) => advise(state, at, threshold), 'deadline')
}

function advise(state: SessionState, at: number, threshold: number): Advice | null {
  if (state.deadlineAt === null) return null
  const remaining = (state.deadlineAt - at) / 1000
  const text = (seconds: number) => durationText(seconds, state.semantics)
  const elapsed = text(Math.max(0, at - (state.startedAt ?? at)) / 1000)
  if (remaining <= 0) {
    const late = `The work took ${elapsed}. You have reached the time deadline.`
    return advice('warning', late, ['Wrap up immediately.'])
  }
  const summary = `The work so far took ${elapsed}. You have ${text(remaining)} remaining to complete the task.`
  if (remaining > threshold) return advice('info', summary)
  return advice('warning', summary, [
    'Prioritize completing critical remaining work.',
    'Consider summarizing progress and remaining tasks.',
  ])
}

export const deadlineWords: ProviderWords<DeadlineProviderDocument> = {
  displayName: DISPLAY_NAME,
  act: { kind: 'wrap_up', text: 'agent stopped or finished a plan step within 5 calls' },
  describe: ({ trigger, warning_threshold_seconds: seconds = DEFAULT_WARNING_THRESHOLD_SECONDS }) =>
    `Reports the remaining time ${describeTrigger(trigger)}, as a warning in the last ${secondsText(seconds)}`,
}
