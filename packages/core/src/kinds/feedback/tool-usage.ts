import type { ProviderBase } from '../../model/trigger.ts'
import { promptState } from './prompt-state.ts'
import { advice, createProvider, type Provider } from './provider.ts'
import type { ProviderWords } from './provider-rule.ts'
import { describeTrigger } from './trigger.ts'

/** Reports the number of calls, with a caution above the limit. */
export interface ToolUsageProviderDocument extends ProviderBase {
  readonly type: 'tool_usage'
  /** Number of calls above which feedback is a caution. Absent: 20. */
  readonly max_calls_without_progress?: number
}

export const DEFAULT_MAX_CALLS = 20

const DISPLAY_NAME = 'ToolUsageMonitor'

export function toolUsageProvider(document: ToolUsageProviderDocument): Provider {
  const most = document.max_calls_without_progress ?? DEFAULT_MAX_CALLS
  return createProvider(DISPLAY_NAME, ({ state }) => {
    const { calls } = promptState(state)
    if (calls <= most) return advice('info', `Tool calls: ${calls}`)
    return advice('caution', `You have made ${calls} tool calls without completing.`, [
      'Review your approach.',
      "Consider whether you're making progress.",
    ])
  })
}

export const toolUsageWords: ProviderWords<ToolUsageProviderDocument> = {
  displayName: DISPLAY_NAME,
  act: { kind: 'change', text: 'agent stopped or changed its plan within 5 calls' },
  describe: ({ trigger, max_calls_without_progress: most = DEFAULT_MAX_CALLS }) =>
    `Reports the number of calls ${describeTrigger(trigger)}, with a caution above ${most}`,
}
