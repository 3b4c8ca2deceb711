import { expect, test } from 'vitest'
import { ALONE, makeTrpcClient } from './trpc-client.ts'

interface Asked {
  readonly method: string | undefined
  readonly address: string
  readonly body: unknown
}

function client() {
  const asked: Asked[] = []
  const answer = { result: { data: [] } }
  const trpc = makeTrpcClient('first', async (address, { method, body } = {}) => {
    const sent = typeof body === 'string' ? JSON.parse(body) : undefined
    asked.push({ method, address: String(address), body: sent })
    const isBatch = String(address).includes('batch=1')
    return Response.json(isBatch ? [answer, answer] : answer)
  })
  return { trpc, asked }
}

const createIds = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `sess_01M8233JX030QMFBVPGXWBA4${100 + index}`)

test('the tRPC client sends a query of 500 rows in a body, because it is too long for an address', async () => {
  const { trpc, asked } = client()
  const ids = createIds(500)
  expect(await trpc.sessions.rows.query({ filter: {}, ids })).toEqual([])
  const address = '/api/trpc/sessions.rows?project=first&batch=1'
  expect(asked).toEqual([{ method: 'POST', address, body: { 0: { filter: {}, ids } } }])
})

test('the tRPC client sends a call that must not wait for others in a request of its own', async () => {
  const { trpc, asked } = client()
  const alone = () => trpc.environments.list.query(undefined, { context: ALONE })
  await Promise.all([alone(), alone()])
  expect(asked.map(({ address }) => address.split('?')[0])).toEqual([
    '/api/trpc/environments.list',
    '/api/trpc/environments.list',
  ])
})

test('the tRPC client batches concurrent short queries in one address', async () => {
  const { trpc, asked } = client()
  await Promise.all([
    trpc.sessions.rows.query({ filter: {}, ids: createIds(3) }),
    trpc.environments.list.query(),
  ])
  expect(asked).toMatchObject([{ method: 'GET', body: undefined }])
  expect(asked[0]?.address).toMatch(/^\/api\/trpc\/sessions\.rows,environments\.list\?.*batch=1/)
  expect(asked[0]?.address.length).toBeLessThan(4_000)
})

test("the tRPC client reports an unreachable server with the next step instead of the browser's error", async () => {
  const trpc = makeTrpcClient('first', () => Promise.reject(new TypeError('Failed to fetch')))
  await expect(trpc.environments.list.query()).rejects.toThrow(
    'The server did not answer. Check the connection, and try again.',
  )
})
