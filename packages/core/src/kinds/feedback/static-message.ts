// With a file trigger, the guidance is given once.

import type { ProviderBase } from '../../model/trigger.ts'
import { advice, createProvider, type Provider } from './provider.ts'
import type { ProviderWords } from './provider-rule.ts'
import { describeTrigger } from './trigger.ts'

export interface StaticProviderDocument extends ProviderBase {
  readonly type: 'static'
  readonly feedback: string
}

const DISPLAY_NAME = 'Static'

export function staticProvider({ feedback }: StaticProviderDocument): Provider {
  const always = advice('info', feedback)
  return createProvider(DISPLAY_NAME, () => always)
}

export const staticWords: ProviderWords<StaticProviderDocument> = {
  displayName: DISPLAY_NAME,
  // The behavior that a custom text suggests is unknown.
  act: null,
  describe: ({ feedback, trigger }) => `Sends “${feedback}” ${describeTrigger(trigger)}`,
}
