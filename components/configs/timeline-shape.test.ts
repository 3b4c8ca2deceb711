import { expect, test } from 'vitest'
import { buildMarks, hasTrafficSinceRelease, toBars } from './timeline-shape.ts'

const AXIS = { since: 1_000, until: 2_000, bucketMs: 100 }

const release = (version: number, createdAt: number) => ({
  id: `rel_${version}`,
  environment: 'dev',
  kind: 'publish' as const,
  version,
  previousVersion: null,
  revision: version,
  note: null,
  author: null,
  createdAt,
  status: 'waiting' as const,
  isLate: true,
  applied: 0,
  rejected: 0,
  total: 0,
  successor: null,
  rejection: null,
  lastApplied: null,
})

const LANE = {
  name: 'dev',
  releases: [release(1, 100), release(2, 500), release(3, 1_500)],
  behavior: [
    { environment: 'dev', at: 1_100, sessions: 1, calls: 10, denied: 2, stops: 0, blocked: 0 },
  ],
}

test('the release timeline has a bar up to the next release, the last one up to now, and none before the axis', () => {
  const bars = toBars(LANE, AXIS).map(({ release: { version }, left, width, isCurrent }) => ({
    version,
    left,
    width,
    isCurrent,
  }))
  expect(bars).toEqual([
    { version: 2, left: 0, width: 50, isCurrent: false },
    { version: 3, left: 50, width: 50, isCurrent: true },
  ])
})

test('a mark of the release timeline has the share of counted items, and none when nothing was counted', () => {
  expect(buildMarks(LANE, AXIS, 'denied')).toMatchObject([{ left: 10, width: 10, share: 0.2 }])
  expect(buildMarks(LANE, AXIS, 'blocked')).toMatchObject([{ share: null }])
})

test('traffic before the current release does not count as traffic since the release', () => {
  expect(hasTrafficSinceRelease(LANE, 100)).toBe(false)
  expect(hasTrafficSinceRelease({ ...LANE, releases: LANE.releases.slice(0, 2) }, 100)).toBe(true)
})
