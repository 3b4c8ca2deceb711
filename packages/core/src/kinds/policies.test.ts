import { expect, test } from 'vitest'
import { customPolicyWords } from './policies/custom.ts'
import { POLICY_WORDS } from './policies.ts'

test.each(Object.entries({ ...POLICY_WORDS, custom: customPolicyWords }))(
  'the policy type %s has a sentence for each of its reasons, and no other sentence',
  (_, { reasons, sentences }) => {
    expect(Object.keys(reasons).sort()).toEqual(Object.keys(sentences).sort())
  },
)
