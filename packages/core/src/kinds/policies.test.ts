import { expect, test } from 'vitest'
import { CUSTOM_POLICY_SENTENCES } from './policies/custom.ts'
import { POLICY_REASONS, POLICY_WORDS } from './policies.ts'

test.each(Object.entries(POLICY_REASONS))(
  'the policy type %s has a sentence for each of its reasons, and no other sentence',
  (type, reasons) => {
    const words: Readonly<Record<string, { readonly sentences: object }>> = {
      ...POLICY_WORDS,
      custom: { sentences: CUSTOM_POLICY_SENTENCES },
    }
    expect(Object.keys(reasons).sort()).toEqual(Object.keys(words[type]?.sentences ?? {}).sort())
  },
)
