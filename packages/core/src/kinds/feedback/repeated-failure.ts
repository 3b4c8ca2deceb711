import { timesText } from '../../model/count-text.ts'
import { getIn } from '../../model/persistent-map.ts'
import type { ProviderBase } from '../../model/trigger.ts'
import { promptState } from './prompt-state.ts'
import { advice, createProvider, DEFAULT_TIMES, type Provider } from './provider.ts'
import type { ProviderWords } from './provider-rule.ts'
import { describeCadence } from './trigger.ts'

/** Gives feedback when a tool did not succeed `times` times in a row. */
export interface RepeatedFailureProviderDocument extends ProviderBase {
  readonly type: 'repeated_failure'
  /** Absent: any tool. */
  readonly tool?: string
  /** Absent: 3. */
  readonly times?: number
}

const DISPLAY_NAME = 'RepeatedFailure'

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
  return createProvider(DISPLAY_NAME, advise, 'failures')
}

export const repeatedFailureWords: ProviderWords<RepeatedFailureProviderDocument> = {
  displayName: DISPLAY_NAME,
  act: { kind: 'differ', text: 'next call differed from the failed one' },
  describe: ({ trigger, tool, times = DEFAULT_TIMES }) => {
    const which = tool === undefined ? 'a tool' : `\`${tool}\``
    return `Warns when ${which} fails ${timesText(times)} in a row${describeCadence(trigger)}`
  },
}
