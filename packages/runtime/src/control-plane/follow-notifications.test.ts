import { afterEach, expect, test, vi } from 'vitest'
import type { DataPlane, OpenedStream } from './data-plane.ts'
import { followNotifications } from './follow-notifications.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Times at which the stream was requested, in milliseconds since the start. */
function followed(open: (attempt: number) => OpenedStream) {
  vi.useFakeTimers({ now: 0, toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] })
  const stop = new AbortController()
  const requested: number[] = []
  const plane: Pick<DataPlane, 'openStream'> = {
    openStream: async () => {
      requested.push(Date.now())
      return open(requested.length)
    },
  }
  const done = followNotifications({
    // Only this member is used.
    plane: plane as DataPlane,
    signal: stop.signal,
    onRevision: () => undefined,
    onRefresh: () => undefined,
  })
  return {
    requested,
    stop: async () => {
      stop.abort()
      // Lets open streams end.
      await vi.advanceTimersByTimeAsync(120_000)
      await done
    },
  }
}

async function* openFor(ms: number): AsyncGenerator<Uint8Array> {
  yield Buffer.from(': alive\n\n')
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms))
}

test('a runtime whose stream is refused waits for Retry-After and up to a fifth more', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(1)
  const { requested, stop } = followed(() => ({ body: null, retryAfterMs: 7000 }))
  await vi.advanceTimersByTimeAsync(20_000)
  expect(requested).toEqual([0, 8400, 16_800])
  await stop()
})

test('runtimes that lose a steady stream at once return over three seconds', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.9)
  const { requested, stop } = followed((attempt) => ({
    body: openFor(attempt === 1 ? 6000 : 60_000),
  }))
  await vi.advanceTimersByTimeAsync(20_000)
  expect(requested).toEqual([0, 8700])
  await stop()
})

test('the pauses between lost streams grow to half a minute', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(1)
  const { requested, stop } = followed(() => ({ body: openFor(0) }))
  await vi.advanceTimersByTimeAsync(200_000)
  const pauses = requested.slice(1).map((time, index) => time - (requested[index] ?? 0))
  expect(pauses.slice(0, 9)).toEqual([250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
  await stop()
})
