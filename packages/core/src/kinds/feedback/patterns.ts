// Providers that watch for an agent going in circles: many calls, the same failure, the same call.
import type {
  RepeatedCallProviderDocument,
  RepeatedFailureProviderDocument,
  ToolUsageProviderDocument,
} from '../../model/config.ts'
import { getIn } from '../../model/persistent-map.ts'
import { promptState } from './prompt-state.ts'
import { advice, type Provider, providerOf } from './provider.ts'

export const DEFAULT_MAX_CALLS = 20
export const DEFAULT_TIMES = 3

export function toolUsageProvider(document: ToolUsageProviderDocument): Provider {
  const most = document.max_calls_without_progress ?? DEFAULT_MAX_CALLS
  return providerOf('ToolUsageMonitor', ({ state }) => {
    const { calls } = promptState(state)
    if (calls <= most) return advice('info', `Tool calls: ${calls}`)
    return advice('caution', `You have made ${calls} tool calls without completing.`, [
      'Review your approach.',
      "Consider whether you're making progress.",
    ])
  })
}

export function repeatedFailureProvider(document: RepeatedFailureProviderDocument): Provider {
  const { tool: only, times = DEFAULT_TIMES } = document
  const advise: Provider['advise'] = ({ state, tool }) => {
    if (only !== undefined && only !== tool) return null
    const failures = getIn(promptState(state).failures, tool) ?? 0
    if (failures < times) return null
    return advice('caution', `The last ${failures} calls of '${tool}' did not succeed.`, [
      'Read the last error before you try again.',
      'Try a different approach.',
    ])
  }
  return providerOf('RepeatedFailure', advise, 'failures')
}

export function repeatedCallProvider(document: RepeatedCallProviderDocument): Provider {
  const { times = DEFAULT_TIMES } = document
  const advise: Provider['advise'] = ({ state, tool }) => {
    const { repetition } = promptState(state)
    if (repetition === null || repetition.times < times) return null
    const summary = `You have called '${tool}' ${repetition.times} times in a row with the same arguments.`
    return advice('caution', summary, [
      'Use the result that you already have.',
      'Change the arguments or the approach.',
    ])
  }
  return providerOf('RepeatedCall', advise, 'repetition')
}
