import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { noteUnavailable } from './log.mjs'
import { metrics } from './metrics.mjs'
import { observeRequest, routeLabel } from './requests.mjs'

let server: http.Server | undefined

afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

async function serving(handle: http.RequestListener): Promise<string> {
  server = http.createServer((request, response) => {
    const place = request.url ?? ''
    observeRequest({ request, response, place }, () => handle(request, response))
  })
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  // An IP socket's address is an object.
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}`
}

test.each([
  ['/api/runtime/v1/events', 'runtime/events'],
  ['/api/runtime/v1/config/stream?push=bundle', 'runtime/config/stream'],
  ['/api/runtime/v1/anything', 'other api'],
  ['/api/manage/v1/configs/a/b', 'manage'],
  ['/api/trpc/live.notifications?input=x', 'console/stream'],
  ['/api/trpc/sessions.list', 'console'],
  ['/livez', 'operations'],
  ['/sessions/sess_1', 'page'],
  ['/wp-admin.php', 'page'],
])('a request to %s is counted as %s', (address, label) => {
  expect(routeLabel(address)).toBe(label)
})

test('a request gets an id of this process, for any id in its headers', async () => {
  let seen: string | string[] | undefined
  let raw: readonly string[] = []
  const origin = await serving((request, response) => {
    seen = request.headers['x-request-id']
    raw = request.rawHeaders
    response.end()
  })
  const answer = await fetch(origin, { headers: { 'X-Request-Id': 'chosen\tby-the-sender' } })
  expect(seen).toMatch(/^req_[0-9a-f]{16}$/)
  expect(answer.headers.get('x-request-id')).toBe(seen)
  expect(raw.join(' ')).not.toContain('chosen')
})

test('a failure is answered with 503 and Retry-After when the database went away meanwhile', async () => {
  const origin = await serving((request, response) => {
    if (request.url === '/away') noteUnavailable()
    response.statusCode = 500
    response.end()
  })
  const away = await fetch(`${origin}/away`)
  expect([away.status, away.headers.get('retry-after')]).toEqual([503, '5'])
  const failed = await fetch(origin)
  expect([failed.status, failed.headers.get('retry-after')]).toEqual([500, null])
})

test('every 503 says when to retry, and keeps the time that its handler chose', async () => {
  const origin = await serving((request, response) => {
    response.statusCode = 503
    if (request.url === '/chosen') response.setHeader('retry-after', '60')
    response.end()
  })
  expect((await fetch(origin)).headers.get('retry-after')).toBe('5')
  expect((await fetch(`${origin}/chosen`)).headers.get('retry-after')).toBe('60')
})

test('a refused batch of events is counted by its status', async () => {
  const origin = await serving((_request, response) => {
    response.statusCode = 429
    response.end()
  })
  const before = await refusedBatches()
  await (await fetch(`${origin}/api/runtime/v1/events`, { method: 'POST' })).arrayBuffer()
  await expect.poll(refusedBatches).toBe(before + 1)
})

async function refusedBatches(): Promise<number> {
  const { values } = await metrics.batchesRefused.get()
  return values.find(({ labels }) => labels.status === 429)?.value ?? 0
}
