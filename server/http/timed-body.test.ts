import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { timedChunks, timedText } from './timed-body.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

function trickling(everyMs: number, count: number): Request {
  let sent = 0
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      if (sent === count) await new Promise(() => undefined)
      sent += 1
      await new Promise((resolve) => setTimeout(resolve, everyMs))
      controller.enqueue(new Uint8Array(1))
    },
  })
  const init = { method: 'POST', body, duplex: 'half' }
  return new Request('http://host/', init)
}

async function readFor(request: Request, ms: number): Promise<readonly [number, unknown]> {
  let bytes = 0
  let failure: unknown = null
  const read = async () => {
    for await (const chunk of timedChunks(request)) bytes += chunk.byteLength
  }
  read().catch((error: unknown) => {
    failure = error
  })
  await vi.advanceTimersByTimeAsync(ms)
  return [bytes, failure]
}

test('a request body times out after ten seconds without a byte', async () => {
  expect(await readFor(trickling(1_000, 2), 11_999)).toEqual([2, null])
  const [, failure] = await readFor(trickling(1_000, 2), 12_000)
  expect(failure).toMatchObject({ code: 'timeout' })
})

test('a request body that arrives slowly is abandoned after thirty seconds in all', async () => {
  expect(await readFor(trickling(9_000, 100), 29_999)).toEqual([3, null])
  const [, failure] = await readFor(trickling(9_000, 100), 30_000)
  expect(failure).toMatchObject({ code: 'timeout' })
})

test('a request body that is read as one text times out after thirty seconds', async () => {
  const read = timedText(trickling(1_000, 5)).catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(30_000)
  expect(await read).toMatchObject({ code: 'timeout' })
})

test('a request body is read to its end, and a missing body is empty', async () => {
  const whole = new Request('http://host/', { method: 'POST', body: 'text' })
  expect(await readFor(whole, 0)).toEqual([4, null])
  expect(await readFor(new Request('http://host/'), 0)).toEqual([0, null])
})
