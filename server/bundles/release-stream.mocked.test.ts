// The database is replaced: the tests make it fail.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { systemProject } from '@/server/platform/auth/system.ts'
import type { ChangeNotification } from '@/server/platform/live/change-notification.ts'
import { listenToReleases } from './release-stream.ts'

const { read, bus } = vi.hoisted(() => ({
  read: { revision: 1, isAway: false, times: 0 },
  bus: { deliver: (_notification: ChangeNotification): void => undefined },
}))

vi.mock('./bundles.ts', () => ({
  bodyFor: (bundle: object) => bundle,
  loadCurrentBundle: async () => {
    read.times += 1
    if (read.isAway) throw new Error('Connection terminated')
    return { environmentId: 'env_1', revision: read.revision, digest: `d${read.revision}` }
  },
}))
vi.mock('@/server/platform/live/live-bus.ts', () => ({
  onNotification: (_project: string, deliver: typeof bus.deliver) => {
    bus.deliver = deliver
    return () => undefined
  },
}))

const place = { projectId: systemProject('prj_1'), environment: 'dev' }

beforeEach(() => {
  vi.useFakeTimers()
  Object.assign(read, { revision: 1, isAway: false, times: 0 })
})
afterEach(() => vi.useRealTimers())

async function listening() {
  const heard: string[] = []
  const leave = await listenToReleases(place, {
    parts: null,
    send: (chunk) => heard.push(/id: (\d+)/.exec(String(Buffer.from(chunk)))?.[1] ?? ''),
  })
  return { heard, leave }
}

const announce = (): void => bus.deliver({ project: 'prj_1', kind: 'release' })

test('listeners keep their stream while the database is away, and hear of a release when it is back', async () => {
  const { heard, leave } = await listening()
  read.isAway = true
  read.revision = 2
  announce()
  await vi.advanceTimersByTimeAsync(20_000)
  expect(heard).toEqual(['1'])
  // Less and less often, up to every five seconds.
  expect(read.times).toBeLessThan(12)
  read.isAway = false
  await vi.advanceTimersByTimeAsync(5_000)
  expect(heard).toEqual(['1', '2'])
  leave()
})

test('a reconnect of the bus without a release sends nothing to any listener', async () => {
  const { heard, leave } = await listening()
  announce()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(heard).toEqual(['1'])
  leave()
})

test('no one reads for an environment whose last listener left', async () => {
  const { leave } = await listening()
  read.isAway = true
  announce()
  await vi.advanceTimersByTimeAsync(1_000)
  leave()
  const { times } = read
  await vi.advanceTimersByTimeAsync(60_000)
  expect(read.times).toBe(times)
})
