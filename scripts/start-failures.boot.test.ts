import fs from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, expect, it, onTestFinished, vi } from 'vitest'
import { describeWithNats } from '@/packages/worker/src/test/nats-server.ts'
import { NamedBlocks } from './document-blocks.mjs'
import {
  exited,
  freePort,
  type Outcome,
  ProcessGroup,
  readSecrets,
  runToEnd,
} from './product-process.ts'
import { listDocumentedTexts } from './troubleshooting.ts'

const processes = new ProcessGroup()
const folders: string[] = []

afterAll(() => {
  processes.endAll()
  for (const folder of folders) fs.rmSync(folder, { recursive: true, force: true })
})

function temporaryFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-start-'))
  // When root runs this, PostgreSQL's account must be able to read the folder.
  fs.chmodSync(folder, 0o755)
  folders.push(folder)
  return folder
}

async function failedStart(
  folder: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const port = ['--port', String(await freePort())]
  return await runToEnd(['scripts/start.mjs', '--no-demo', ...port, ...args], {
    SIGNALBOX_DATA_DIR: folder,
    ...env,
  })
}

function expectOneSentence(said: string): void {
  expect(said.split('\n')).toHaveLength(1)
  expect(said).toMatch(/[.!]$/)
  expect(said).not.toMatch(/\bat .*:\d+:\d+/)
  expect(listDocumentedTexts().filter(({ pattern }) => pattern.test(said))).toHaveLength(1)
}

it('the server refuses to start with an unknown option', async () => {
  const { code, complained } = await failedStart(temporaryFolder(), ['--color'])
  expect(code).toBe(2)
  expectOneSentence(complained)
})

it('the server refuses to start on a port in use', async () => {
  const port = await freePort()
  const taken = net.createServer()
  await new Promise<void>((resolve) => taken.listen(port, '127.0.0.1', resolve))
  const { code, complained } = await failedStart(temporaryFolder(), ['--port', String(port)])
  taken.close()
  expect([code, complained.startsWith(`The port ${port} on 127.0.0.1 is in use.`)]).toEqual([
    12,
    true,
  ])
  expectOneSentence(complained)
})

interface Log {
  readonly version: string
  readonly config: object
}

async function startLog({ version, config }: Log): Promise<Readonly<Record<string, string>>> {
  const info = { server_id: 'N', server_name: 'a', version, max_payload: 1_048_576, headers: true }
  const server = net.createServer((socket) => {
    socket.write(`INFO ${JSON.stringify(info)}\r\n`)
    socket.on('data', (sent) => sent.includes('PING') && socket.write('PONG\r\n'))
  })
  const monitor = http.createServer((_request, response) =>
    response.end(JSON.stringify({ ...info, jetstream: { config } })),
  )
  const listen = async (one: net.Server): Promise<number> => {
    const port = await freePort()
    await new Promise<void>((resolve) => one.listen(port, '127.0.0.1', resolve))
    onTestFinished(() => void one.close())
    return port
  }
  return {
    SIGNALBOX_EVENT_LOG: `nats://user:hunter2@127.0.0.1:${await listen(server)}`,
    SIGNALBOX_EVENT_LOG_MONITOR: `http://127.0.0.1:${await listen(monitor)}`,
  }
}

it.each([
  {
    log: { version: '2.9.10', config: {} },
    weakness:
      'NATS 2.9.10 cannot write an event to disk before it acknowledges it; version 2.10 can',
  },
  {
    log: { version: '2.10.4', config: { sync_interval: 120_000_000_000 } },
    weakness: 'its server a does not have "sync_interval: always"',
  },
])(
  'the server refuses to start with an event log that may lose acknowledged events: $weakness',
  async ({ log, weakness }) => {
    const { code, complained } = await failedStart(temporaryFolder(), [], await startLog(log))
    expect([code, complained]).toEqual([
      20,
      `SIGNALBOX_EVENT_LOG is refused, because it may lose acknowledged events when its servers lose power: ${weakness}. Change that, or accept the risk with SIGNALBOX_EVENT_LOG_UNSAFE=power-loss.`,
    ])
  },
)

describeWithNats('an event log that may lose acknowledged events', ({ url: log }) => {
  it('is used when the operator accepts it, and the Overview warns of it', async () => {
    const folder = temporaryFolder()
    const port = await freePort()
    const started = await processes.startProduct(folder, port, {
      SIGNALBOX_EVENT_LOG: log(),
      SIGNALBOX_EVENT_LOG_UNSAFE: 'power-loss',
      SIGNALBOX_EVENT_LOG_MIB: '64',
    })
    const origin = `http://127.0.0.1:${port}`
    const headers = { 'content-type': 'application/json', origin }
    const post = async (place: string, body: object): Promise<Response> =>
      await fetch(`${origin}${place}`, { method: 'POST', headers, body: JSON.stringify(body) })
    const admin = { name: 'Ada', email: 'ada@example.test', password: 'correct horse battery' }
    const token = readSecrets(folder).setupToken
    await post('/api/trpc/members.setup', { token, ...admin })
    const entry = await post('/api/auth/sign-in/email', admin)
    const cookies = entry.headers.getSetCookie().map((line) => line.split(';')[0])
    const page = { headers: { cookie: cookies.join('; ') } }
    await vi.waitFor(
      async () =>
        expect(await (await fetch(origin, page)).text()).toContain(
          'The event log may lose acknowledged events when its servers lose power',
        ),
      { timeout: 30_000, interval: 500 },
    )
    started.kill('SIGTERM')
    await exited(started)
  })
})

it('a product keeps running when no one reads its output and when a second start on its folder is refused', async () => {
  const folder = temporaryFolder()
  const port = await freePort()
  const unread = processes.start(['scripts/start.mjs', '--no-demo', '--port', String(port)], {
    SIGNALBOX_DATA_DIR: folder,
  })
  unread.stdout?.destroy()
  const isHealthy = () => fetch(`http://127.0.0.1:${port}/api/health`).then(({ ok }) => ok)
  await vi.waitFor(async () => expect(await isHealthy()).toBe(true), {
    timeout: 60_000,
    interval: 100,
  })
  // It writes its line a moment after the server answers.
  await Promise.race([exited(unread), delay(1000)])
  unread.kill('SIGTERM')
  await exited(unread)
  expect(unread.exitCode).toBe(0)
  const documented = new NamedBlocks(import.meta.filename)
  const script = documented.take('docs/operations/troubleshoot.md', {
    'npm start': `exec npm start -- --no-demo --port ${port}`,
  })
  expect(documented.listLeft()).toEqual([])
  const { child: first, output } = await processes.startWith(script, folder)
  // The secrets that the documents generate are in use.
  expect(output).toMatch(/setup\?token=[0-9a-f]{48}\s/)
  const { code, complained } = await failedStart(folder)
  expect([code, complained.startsWith('Signalbox already runs on')]).toEqual([13, true])
  expectOneSentence(complained)
  expect((await fetch(`http://127.0.0.1:${port}/api/health`)).status).toBe(200)
  first.kill('SIGTERM')
  await exited(first)
})

it('the server refuses to start with a data folder that is not a folder', async () => {
  const file = path.join(temporaryFolder(), 'file')
  fs.writeFileSync(file, '')
  const { code, complained } = await failedStart(file)
  expect(code).toBe(14)
  expectOneSentence(complained)
  expect(complained).toBe(`The data folder ${file} is a file. Set SIGNALBOX_DATA_DIR to a folder.`)
})

it('the server refuses to start with an emptied database folder', async () => {
  const folder = temporaryFolder()
  fs.mkdirSync(path.join(folder, 'postgres/pg18'), { recursive: true })
  fs.writeFileSync(path.join(folder, 'postgres/pg18/rubbish'), '')
  const { code, complained } = await failedStart(folder)
  expect(code).toBe(14)
  expectOneSentence(complained)
})

it('the server refuses to start when the database server is unreachable, and does not print its password', async () => {
  const env = { DATABASE_URL: 'postgresql://me:hunter2@127.0.0.1:1/nothing' }
  const { code, complained } = await failedStart(temporaryFolder(), [], env)
  expect(code).toBe(16)
  expectOneSentence(complained)
  expect(complained).not.toContain('hunter2')
})
