import { expect, test } from 'vitest'
import type { RecordedEvent } from '@/server/sessions/log/recorded-events.ts'
import { PayloadCache } from './payload-cache.ts'

const event = (seq: number): RecordedEvent => ({
  id: `evt_${seq}`,
  seq,
  at: seq,
  receivedAt: seq,
  type: 'note',
  verdict: null,
  subject: null,
  summary: '',
  data: '{}',
  config: null,
  trace: null,
  prev: null,
  hash: 'h',
})

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

function cache() {
  const asked: (readonly number[])[] = []
  const payloads = new PayloadCache(async (seqs) => {
    asked.push(seqs)
    return seqs.map(event)
  })
  return { asked, payloads }
}

test('the payload cache requests a payload once for any number of readers, and at most twenty at a time', async () => {
  const { asked, payloads } = cache()
  await Promise.all([payloads.want(range(1, 25)), payloads.want([3, 26])])
  await payloads.want(range(1, 26))
  expect(asked.map(({ length }) => length)).toEqual([20, 5, 1])
  expect(payloads.get(26)).toEqual(event(26))
})

test('the payload cache keeps 500 payloads and evicts the least recently used one', async () => {
  const { asked, payloads } = cache()
  await payloads.want(range(1, 500))
  await payloads.want([1])
  await payloads.want(range(501, 510))
  expect([1, 2, 11, 12, 510].map((seq) => payloads.get(seq) !== undefined)).toEqual([
    ...[true, false, false, true, true],
  ])
  const before = asked.length
  await payloads.want([2])
  expect(asked).toHaveLength(before + 1)
})

test('the payload cache reports a failed request, and requests the payload again', async () => {
  let isDown = true
  const payloads = new PayloadCache(async (seqs) => {
    if (isDown) throw new Error('down')
    return seqs.map(event)
  })
  await expect(payloads.want([1])).rejects.toThrow('down')
  isDown = false
  await payloads.want([1])
  expect(payloads.get(1)).toEqual(event(1))
})
