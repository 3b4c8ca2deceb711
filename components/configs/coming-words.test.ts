import { expect, test } from 'vitest'
import { listComing } from './coming-words.ts'

test('a config names each staged rollout and each request for approval and each plan, with a link', () => {
  const coming = listComing({
    ns: 'team',
    key: 'coder',
    staged: [{ environment: 'production', version: 3, share: 250 }],
    waiting: [
      { environment: 'staging', version: null, state: 'waiting' },
      { environment: 'production', version: 4, state: 'refused' },
      { environment: 'canary', version: 5, state: 'approved' },
      { environment: 'dev', version: 6, state: 'approved' },
    ],
    plans: [{ environment: 'dev', version: 6, state: 'pending', dueAt: 1 }],
  })
  expect(coming.map(({ sentence, brief, href }) => [sentence, brief, href])).toEqual([
    [
      'Version 3 is in a staged rollout to production: 25% of new sessions',
      'v3 staged, 25% in production',
      '/configs/team/coder/staged-rollout',
    ],
    [
      'The draft waits for approval to be released to staging',
      'draft waits for approval',
      '/releases?approval=staging%3Ateam%2Fcoder',
    ],
    [
      'Version 4 was refused for production',
      'v4 refused for production',
      '/releases?approval=production%3Ateam%2Fcoder',
    ],
    [
      'Version 5 is approved for canary and can be released',
      'v5 approved for canary',
      '/configs/team/coder/versions?move=promote:canary:5',
    ],
    [
      'Version 6 is approved for dev, and its plan releases it',
      'v6 approved for dev',
      '/releases?approval=dev%3Ateam%2Fcoder',
    ],
    ['Version 6 is scheduled for dev,', 'v6 scheduled for dev', '/releases'],
  ])
})
