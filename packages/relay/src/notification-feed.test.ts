import { EventEmitter, once } from 'node:events'
import { setImmediate as soon } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { type FeedParts, NotificationFeed } from './notification-feed.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const formatNotification = (revision: number) =>
  Buffer.from(`event: revision\nid: ${revision}\ndata: {"revision":${revision}}\n\n`)

async function* oneNotification(): AsyncGenerator<Uint8Array> {
  yield formatNotification(7)
}

async function* openStream(revision: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  yield formatNotification(revision)
  if (!signal.aborted) await once(signal, 'abort')
}

interface Watched {
  readonly feed: NotificationFeed
  readonly told: string[]
}

function feedWith(parts: Pick<FeedParts, 'upstream' | 'refresh'>): Watched {
  const feed = new NotificationFeed({
    ...parts,
    secret: 'sbx_test',
    refused: () => undefined,
    closed: () => undefined,
  })
  const told: string[] = []
  feed.join({ send: (text) => told.push(text), end: () => told.push('end') })
  return { feed, told }
}

test('a feed that stops while it handles a notification sends that notification to no one', async () => {
  const bundle = new EventEmitter()
  const asked = once(bundle, 'asked')
  const { feed, told } = feedWith({
    upstream: { openStream: () => Promise.resolve({ status: 200, body: oneNotification() }) },
    refresh: async () => {
      bundle.emit('asked')
      await once(bundle, 'kept')
      return true
    },
  })
  await asked
  feed.stop()
  bundle.emit('kept')
  await soon()
  expect(told).toEqual(['end'])
  expect(feed.isLive).toBe(false)
})

test('a feed is not live and notifies no one until the announced data is stored', async () => {
  vi.useFakeTimers()
  vi.spyOn(Math, 'random').mockReturnValue(1)
  let opened = 0
  let isThere = false
  const { feed, told } = feedWith({
    upstream: {
      openStream: async (_secret, signal) => {
        opened += 1
        return { status: 200, body: openStream(8, signal) }
      },
    },
    refresh: async () => isThere,
  })
  await vi.advanceTimersByTimeAsync(5000)
  expect([feed.isLive, told]).toEqual([false, []])
  // It retries, less and less often.
  expect(opened).toBe(5)
  isThere = true
  feed.again()
  await vi.advanceTimersByTimeAsync(0)
  expect([feed.isLive, told.length, opened]).toEqual([true, 1, 6])
  feed.stop()
})

test('a notification stream without data is cut and opened again', async () => {
  vi.useFakeTimers()
  const opened: AbortSignal[] = []
  const { feed } = feedWith({
    upstream: {
      openStream: async (_secret, signal) => {
        opened.push(signal)
        // Behaves like fetch: a pending read delays the end of the iteration.
        const body = new ReadableStream<Uint8Array>({
          start: (controller) => {
            controller.enqueue(formatNotification(9))
            signal.addEventListener('abort', () => controller.error(signal.reason))
          },
        })
        return { status: 200, body }
      },
    },
    refresh: async () => true,
  })
  await vi.advanceTimersByTimeAsync(24_000)
  expect([feed.isLive, opened.length]).toEqual([true, 1])
  await vi.advanceTimersByTimeAsync(1001)
  expect([feed.isLive, opened[0]?.aborted]).toEqual([false, true])
  await vi.advanceTimersByTimeAsync(250)
  expect([feed.isLive, opened.length]).toEqual([true, 2])
  feed.stop()
})
