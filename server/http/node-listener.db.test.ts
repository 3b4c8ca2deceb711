import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { createHeartbeat, createRegistration } from '@/server/test/data-plane-contract.ts'
import { type DataPlaneServer, serveDataPlane } from '@/server/test/data-plane-server.ts'
import { installed, makeKey } from '@/server/test/installation.ts'
import { api } from './api.ts'
import { answerAtOnce } from './node-listener.ts'

withTestDatabase()

let server: DataPlaneServer
let key: string
let readKey: string
let runtime: string

beforeAll(async () => {
  const project = await installed()
  server = await serveDataPlane()
  key = await makeKey(project)
  readKey = await makeKey(project, { scopes: ['read'] })
  const request = toRequest('register', JSON.stringify(createRegistration('listener')))
  const registered: unknown = await (await api.fetch(request)).json()
  runtime = /rt_\w+/.exec(JSON.stringify(registered))?.[0] ?? ''
})

afterAll(() => server.close())

function toRequest(path: string, body: string, secret = key): Request {
  return new Request(`${server.url}/api/runtime/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body,
  })
}

async function describeAnswer(answer: Response) {
  const text = (await answer.text()).replace(/"server_time":\d+/, '"server_time":0')
  const names = ['content-type', 'cache-control', 'retry-after']
  return [answer.status, text, ...names.map((name) => answer.headers.get(name))]
}

const heartbeat = (change: object = {}) =>
  JSON.stringify({ ...createHeartbeat(runtime), ...change })

test.each<[string, number, () => [body: string, secret?: string]]>([
  ['of a known runtime', 200, () => [heartbeat()]],
  [
    'in letters of any script',
    200,
    () => [heartbeat({ rejected: { revision: 1, reason: 'grün' } })],
  ],
  ['of an unknown runtime', 404, () => [heartbeat({ runtime_id: 'rt_UNKNOWN' })]],
  ['with a wrong field', 422, () => [heartbeat({ now: 'noon' })]],
  [
    'with a text that cannot be stored',
    422,
    () => [heartbeat({ rejected: { revision: 1, reason: '\0' } })],
  ],
  ['that is no JSON', 422, () => ['{']],
  ['without a body', 422, () => ['']],
  ['with an unknown key', 401, () => [heartbeat(), `sbx_ffffffff_${'x'.repeat(43)}`]],
  ['with a malformed key', 401, () => [heartbeat(), 'sbx']],
  ['with a key that may only read', 403, () => [heartbeat(), readKey]],
])('a heartbeat %s is answered as by the app', async (_, status, given) => {
  const request = toRequest('heartbeat', ...given())
  const byApp = await describeAnswer(await api.fetch(request.clone()))
  const answer = await fetch(request)
  expect(answer.status).toBe(status)
  expect(await describeAnswer(answer)).toEqual(byApp)
})

test('a heartbeat whose body comes with its headers is answered without the app, also on a kept connection', async () => {
  const answered: boolean[] = []
  const alone = http.createServer((incoming, outgoing) => {
    void answerAtOnce(incoming, outgoing).then((isAnswered) => {
      answered.push(isAnswered)
      if (!isAnswered) outgoing.writeHead(500).end()
    })
  })
  alone.listen(0, '127.0.0.1')
  onTestFinished(() => void alone.close())
  await once(alone, 'listening')
  const { port } = alone.address() as net.AddressInfo
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  for (let times = 0; times < 3; times++) {
    const { method, headers } = toRequest('heartbeat', heartbeat())
    const request = http.request({ port, agent, method, headers: Object.fromEntries(headers) })
    request.end(heartbeat())
    const [answer] = (await once(request, 'response')) as [http.IncomingMessage]
    answer.resume()
    await once(answer, 'end')
    expect(answer.statusCode).toBe(200)
  }
  expect(answered).toEqual([true, true, true])
})

test('a heartbeat whose body arrives late and in parts is answered', async () => {
  const body = Buffer.from(heartbeat())
  const socket = net.connect(server.port, '127.0.0.1')
  socket.write(
    `POST /api/runtime/v1/heartbeat HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}\r\n` +
      `expect: 100-continue\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
  )
  expect(String((await once(socket, 'data'))[0])).toContain('100 Continue')
  for (let at = 0; at < body.length; at += 50) {
    socket.write(body.subarray(at, at + 50))
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(String((await once(socket, 'data'))[0])).toContain('HTTP/1.1 200')
  socket.destroy()
})
