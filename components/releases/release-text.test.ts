import { expect, test } from 'vitest'
import { type Reach, TO_ALL } from './reach-fields.tsx'
import { releaseText } from './release-text.ts'

const NOW = { time: { isLater: false }, reach: TO_ALL }

const publish = { verb: 'Publish', what: 'v15', place: 'production' } as const

test('the release button names version and environment, and a share or a plan', () => {
  const staged: Reach = { ...TO_ALL, kind: 'staged', terms: { ...TO_ALL.terms, share: 50 } }
  expect(releaseText(NOW, publish)).toBe('Publish v15 to production')
  expect(releaseText(NOW, { ...publish, verb: 'Promote' })).toBe('Promote v15 to production')
  expect(releaseText({ ...NOW, time: { isLater: true } }, publish)).toBe(
    'Schedule v15 for production',
  )
  expect(releaseText({ ...NOW, reach: staged }, publish)).toBe('Stage v15 for 5% in production')
  expect(releaseText(NOW, { ...publish, what: null })).toBe('Publish to production')
})
