import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compress } from './compress.mjs'

const LONG = JSON.stringify({ text: 'guardrails '.repeat(500) })

const server = http.createServer((request, response) => {
  compress(request, response)
  if (request.url === '/events') {
    response.setHeader('content-type', ['text/event-stream'])
    response.write('data: first\n\n')
    return
  }
  response.setHeader('content-type', ['application/json'])
  response.end(request.url === '/long' ? LONG : '{}')
})
let base = ''

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a port has an address with a port.
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const ask = (path: string, encoding: string) =>
  fetch(`${base}${path}`, { headers: { 'accept-encoding': encoding } })

test('a long answer with list headers is compressed in an encoding that the client accepts', async () => {
  for (const encoding of ['br', 'gzip']) {
    const answer = await ask('/long', encoding)
    expect(answer.headers.get('content-encoding')).toBe(encoding)
    expect(await answer.text()).toBe(LONG)
  }
  expect((await ask('/long', 'identity')).headers.get('content-encoding')).toBeNull()
  expect((await ask('/short', 'br')).headers.get('content-encoding')).toBeNull()
})

test('the first event of a stream is sent immediately and uncompressed', async () => {
  const answer = await ask('/events', 'br')
  expect(answer.headers.get('content-encoding')).toBeNull()
  const reader = answer.body?.getReader()
  const first = await reader?.read()
  expect(new TextDecoder().decode(first?.value)).toBe('data: first\n\n')
  await reader?.cancel()
})
