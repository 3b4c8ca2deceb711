import { once } from 'node:events'
import net from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { type DataPlaneServer, serveDataPlane } from '@/server/test/data-plane-server.ts'
import {
  chained,
  installed,
  makeKey,
  ndjson,
  newSessionId,
  otherProject,
  started,
  type TestProject,
} from '@/server/test/installation.ts'

withTestDatabase()

let project: TestProject
let server: DataPlaneServer
const sockets: net.Socket[] = []

beforeAll(async () => {
  project = await installed()
  server = await serveDataPlane()
})

afterEach(() => {
  vi.useRealTimers()
  for (const socket of sockets.splice(0)) socket.destroy()
})

afterAll(async () => {
  await server.close()
})

async function stall(key: string, path = 'events', bytes = 1_000_000): Promise<net.Socket> {
  const socket = net.connect(server.port, '127.0.0.1')
  sockets.push(socket)
  socket.write(
    `POST /api/runtime/v1/${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}\r\n` +
      `content-type: application/json\r\ncontent-length: ${bytes}\r\nexpect: 100-continue\r\n\r\n`,
  )
  const [answer] = await once(socket, 'data')
  expect(String(answer)).toContain('100 Continue')
  return socket
}

async function send(key: string): Promise<number> {
  const body = ndjson(chained(newSessionId(), [started({ ns: 'demo', key: 'none' })]))
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' }
  const url = `${server.url}/api/runtime/v1/events`
  return (await fetch(url, { method: 'POST', body, headers })).status
}

test('250 stalled request bodies of one key block neither that key nor others', async () => {
  const key = await makeKey(project)
  const others = [await makeKey(project), await makeKey(await otherProject())]
  await Promise.all(Array.from({ length: 250 }, () => stall(key)))
  expect(await Promise.all([key, ...others].map(send))).toEqual([200, 200, 200])
})

test.each([
  ['events', 1_000_000, 10_000],
  ['events', 1_000, 30_000],
  ['register', 1_000_000, 30_000],
  ['heartbeat', 1_000, 30_000],
])(
  'a request to %s with a stalled body of %i bytes is answered with 408, and its connection closed',
  async (path, bytes, ms) => {
    const key = await makeKey(project)
    await send(key)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const socket = await stall(key, path, bytes)
    let answer = ''
    socket.on('data', (chunk) => {
      answer += String(chunk)
    })
    const closed = once(socket, 'close')
    // The handler looks the key up before it waits for the body.
    while (answer === '') {
      await vi.advanceTimersByTimeAsync(ms)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await closed
    expect(answer).toContain('HTTP/1.1 408')
    expect(answer).toContain('The body did not arrive in time')
  },
)
