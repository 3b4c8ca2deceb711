import { afterEach, expect, test, vi } from 'vitest'
import { GatheredHeartbeats } from './gathered-heartbeats.ts'
import type { UpstreamAnswer, UpstreamRequest } from './upstream.ts'

afterEach(() => vi.useRealTimers())

type Answer = (
  request: UpstreamRequest,
) => { readonly status: number; readonly body?: object } | null

function readIds({ body }: UpstreamRequest): readonly string[] {
  const sent = JSON.parse(String(body))
  return (sent.heartbeats ?? [sent]).map((one: { runtime_id: string }) => one.runtime_id)
}

const answerEach: Answer = (request) => {
  const answers = readIds(request).map((id) =>
    id === 'unknown' ? null : { desired_revision: Number(id.slice(1)), server_time: 1 },
  )
  return { status: 200, body: request.path === 'heartbeats' ? { answers } : (answers[0] ?? {}) }
}

function gathered(answer: Answer = answerEach) {
  vi.useFakeTimers()
  const sent: string[] = []
  const heartbeats = new GatheredHeartbeats({
    send: async (request) => {
      sent.push(`${request.secret} ${request.path} ${readIds(request).join(',')}`)
      const given = answer(request)
      if (given === null) return null
      const body = Buffer.from(JSON.stringify(given.body ?? {}))
      return { status: given.status, headers: new Headers(), body }
    },
  })
  const send = (id: string, secret = 'key') => heartbeats.send(secret, { runtime_id: id })
  return { heartbeats, send, sent }
}

const read = (answer: UpstreamAnswer | null) =>
  answer && { status: answer.status, ...JSON.parse(String(answer.body)) }

test('the first heartbeat is sent alone, and those of the next 100 ms together, each with its own answer', async () => {
  const { send, sent } = gathered()
  const answers = ['r1', 'r2', 'unknown', 'r4'].map((id) => send(id))
  await vi.advanceTimersByTimeAsync(100)
  expect(sent).toEqual(['key heartbeat r1', 'key heartbeats r2,unknown,r4'])
  const [first, second, unknown, last] = (await Promise.all(answers)).map(read)
  expect([first, second, last]).toMatchObject(
    [1, 2, 4].map((revision) => ({ status: 200, desired_revision: revision })),
  )
  expect(unknown).toMatchObject({ status: 404, title: 'Not found' })
})

test('keys do not share a request', async () => {
  const { send, sent } = gathered()
  const answers = [send('r1', 'a'), send('r2', 'b'), send('r3', 'a'), send('r4', 'b')]
  await vi.advanceTimersByTimeAsync(100)
  await Promise.all(answers)
  expect(sent).toEqual(['a heartbeat r1', 'b heartbeat r2', 'a heartbeat r3', 'b heartbeat r4'])
})

test('a control plane from before the request gets each heartbeat alone, and is asked again when it was away', async () => {
  let isOld = true
  const { heartbeats, send, sent } = gathered((request) =>
    isOld && request.path === 'heartbeats' ? { status: 404 } : answerEach(request),
  )
  const answers = ['r1', 'r2', 'r3'].map((id) => send(id))
  await vi.advanceTimersByTimeAsync(200)
  expect((await Promise.all(answers)).map(read).map(({ status }) => status)).toEqual([
    200, 200, 200,
  ])
  await send('r4')
  expect(sent.slice(1)).toEqual([
    'key heartbeats r2,r3',
    'key heartbeat r2',
    'key heartbeat r3',
    'key heartbeat r4',
  ])
  isOld = false
  heartbeats.tryAgain()
  const later = ['r5', 'r6', 'r7'].map((id) => send(id))
  await vi.advanceTimersByTimeAsync(100)
  await Promise.all(later)
  expect(sent.at(-1)).toBe('key heartbeats r6,r7')
})

test('one heartbeat that the control plane refuses does not take the others with it', async () => {
  const { send } = gathered((request) =>
    readIds(request).includes('bad') ? { status: 422 } : answerEach(request),
  )
  const answers = ['r1', 'bad', 'r3'].map((id) => send(id))
  await vi.advanceTimersByTimeAsync(100)
  const statuses = (await Promise.all(answers)).map((answer) => answer?.status)
  expect(statuses).toEqual([200, 422, 200])
})

test('without the control plane each heartbeat is answered with null', async () => {
  const { send } = gathered(() => null)
  const answers = ['r1', 'r2', 'r3'].map((id) => send(id))
  await vi.advanceTimersByTimeAsync(100)
  expect(await Promise.all(answers)).toEqual([null, null, null])
})
