import { timesText } from '../../model/count-text.ts'
import type { ProviderBase } from '../../model/trigger.ts'
import { promptState } from './prompt-state.ts'
import { advice, createProvider, DEFAULT_TIMES, type Provider } from './provider.ts'
import type { ProviderWords } from './provider-rule.ts'
import { describeCadence } from './trigger.ts'

/** Gives feedback when a tool was called `times` times in a row with the same arguments. */
export interface RepeatedCallProviderDocument extends ProviderBase {
  readonly type: 'repeated_call'
  /** Absent: 3. */
  readonly times?: number
}

const DISPLAY_NAME = 'RepeatedCall'

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
  return createProvider(DISPLAY_NAME, advise, 'repetition')
}

export const repeatedCallWords: ProviderWords<RepeatedCallProviderDocument> = {
  displayName: DISPLAY_NAME,
  act: { kind: 'differ', text: 'next call differed from the repeated one' },
  describe: ({ trigger, times = DEFAULT_TIMES }) =>
    `Warns when the same call is made ${timesText(times)} in a row${describeCadence(trigger)}`,
}
