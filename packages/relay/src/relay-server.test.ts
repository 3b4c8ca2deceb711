import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { RelayError, type RunningRelay, startRelay } from './relay-server.ts'
import { KEY, RelayLab } from './test/relay-lab.ts'

vi.setConfig({ testTimeout: 30_000 })

let lab: RelayLab
const open: RunningRelay[] = []

beforeEach(async () => {
  lab = new RelayLab()
  await lab.listen()
})

afterEach(async () => {
  for (const relay of open.splice(0)) await relay.close()
  await lab.end()
})

async function started(port = 0): Promise<RunningRelay> {
  const report = (line: string) => lab.lines.push(line)
  const of = { upstream: lab.url, dataDir: lab.folder, maxSpoolBytes: 1024, keys: [], report }
  const relay = await startRelay({ ...of, host: '127.0.0.1', port })
  open.push(relay)
  return relay
}

interface Sent {
  readonly path: string
  readonly body?: Buffer
  readonly agent?: http.Agent
  readonly headers?: http.OutgoingHttpHeaders
}

async function send(
  { port }: RunningRelay,
  { path: target, body, agent, headers }: Sent,
): Promise<http.IncomingMessage> {
  const request = http.request({
    port,
    host: '127.0.0.1',
    path: target,
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${KEY}`, ...headers },
    ...(agent === undefined ? {} : { agent }),
  })
  request.end(body)
  return await new Promise((resolve, reject) => {
    request.once('response', resolve).once('error', reject)
  })
}

test('a relay answers a path that begins with two slashes with 404', async () => {
  const relay = await started()
  expect((await send(relay, { path: '//' })).statusCode).toBe(404)
  expect(lab.lines).toEqual([])
})

test('a relay answers a request above the size limit with 413', async () => {
  const relay = await started()
  const body = Buffer.alloc(8 * 1024 * 1024 + 1)
  const headers = { 'content-encoding': 'gzip' }
  const answer = await send(relay, { path: '/api/runtime/v1/events', body, headers })
  expect(answer.statusCode).toBe(413)
})

test('a stopping relay does not wait for idle connections', async () => {
  const agent = new http.Agent({ keepAlive: true })
  const relay = await started()
  const stream = await send(relay, { path: '/api/runtime/v1/config/stream', agent })
  stream.resume()
  const ended = once(stream, 'end')
  const idle = await send(relay, { path: '/api/runtime/v1/config', agent })
  idle.resume()
  open.length = 0
  // Shorter than the time for which a server keeps an idle connection.
  const late = pause(4000).then(() => 'late')
  expect(await Promise.race([relay.close().then(() => 'closed'), late])).toBe('closed')
  await ended
  agent.destroy()
})

test('a relay that cannot start reports the reason', async () => {
  const { port } = await started()
  await expect(started(port)).rejects.toThrow(
    new RelayError(`The relay cannot listen on 127.0.0.1:${port}: EADDRINUSE.`),
  )
  fs.rmSync(path.join(lab.folder, 'answers'), { recursive: true })
  fs.writeFileSync(path.join(lab.folder, 'answers'), '')
  await expect(started()).rejects.toThrow(`The relay cannot use the folder ${lab.folder}`)
})

test('a relay keeps unknown files in its folder, and starts despite torn files, which it reports', async () => {
  for (const file of ['spool/.DS_Store', 'spool/notes/x', 'keys.json', 'runtimes.json']) {
    fs.mkdirSync(path.dirname(path.join(lab.folder, file)), { recursive: true })
    fs.writeFileSync(path.join(lab.folder, file), '{"torn')
  }
  const relay = await started()
  expect((await send(relay, { path: '/api/health' })).statusCode).toBe(200)
  expect(fs.readdirSync(lab.folder).sort()).toContain('keys.json.broken')
  expect(fs.existsSync(path.join(lab.folder, 'spool/notes/x'))).toBe(true)
  expect(lab.lines.join()).toMatch(/keys\.json.*runtimes\.json/)
})
