// A project moves between two cells while an agent reports, and a server is killed. Only in a soak: it starts two servers.
import type { ChildProcess } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startEmbedded } from '@/server/platform/db/embedded.mjs'
import { NamedBlocks } from './document-blocks.mjs'
import { exited, freePort, ProcessGroup, said, steadyAgent, webPid } from './product-process.ts'
import { IS_SOAK } from './soak-sample.mjs'

const CALLS = 1_500
const KEY = `sbx_0123abcd_${'k'.repeat(43)}`
const SETUP_TOKEN = 'set-up token of cells'
const ADMIN = { name: 'Ana', email: 'ana@example.test', password: 'correct horse battery' }
const PUBLIC = 'http://signalbox.example.test'

describe.runIf(IS_SOAK)('two cells', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-cells-'))
  const processes = new ProcessGroup()
  let database: Awaited<ReturnType<typeof startEmbedded>>
  let urls: Readonly<Record<'main' | 'b', string>>
  let servers: Readonly<Record<'main' | 'b', string>>
  let secondServer: ChildProcess
  let ports: Readonly<Record<'main' | 'b', number>>

  async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      return (await client.query<Row>(text)).rows
    } finally {
      await client.end()
    }
  }

  async function startCell(cell: 'main' | 'b'): Promise<ChildProcess> {
    const child = processes.start(
      ['scripts/start.mjs', '--no-demo', '--port', String(ports[cell])],
      {
        SIGNALBOX_DATA_DIR: path.join(folder, cell),
        SIGNALBOX_SECRET: 'the one secret that all servers share',
        SIGNALBOX_URL: PUBLIC,
        SIGNALBOX_SETUP_TOKEN: SETUP_TOKEN,
        SIGNALBOX_DEMO_KEY: KEY,
        DATABASE_URL: urls[cell],
        SIGNALBOX_CELL: cell,
        SIGNALBOX_CELLS: `main=${servers.main},b=${servers.b}`,
        ...(cell === 'main' ? {} : { SIGNALBOX_DIRECTORY_URL: urls.main }),
      },
    )
    await said(child, /Signalbox is ready/)
    return child
  }

  beforeAll(async () => {
    fs.chmodSync(folder, 0o755)
    database = await startEmbedded({ dataDir: path.join(folder, 'database') })
    await query(database.url, 'CREATE DATABASE cell_b')
    urls = { main: database.url, b: database.urlFor('cell_b') }
    ports = { main: await freePort(), b: await freePort() }
    servers = { main: `http://127.0.0.1:${ports.main}`, b: `http://127.0.0.1:${ports.b}` }
    await startCell('main')
    secondServer = await startCell('b')
  }, 180_000)

  afterAll(async () => {
    processes.endAll()
    await database.stop()
    fs.rmSync(folder, { recursive: true, force: true })
  })

  async function post(url: string, body: object): Promise<Response> {
    const headers = { 'content-type': 'application/json', origin: PUBLIC }
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
    expect(answer.ok, `${url}: ${answer.status} ${await answer.clone().text()}`).toBe(true)
    return answer
  }

  async function countEvents(cell: 'main' | 'b', session: string): Promise<number> {
    const text = `SELECT count(*)::int AS count FROM session_events WHERE session_id = '${session}'`
    return (await query<{ count: number }>(urls[cell], text))[0]?.count ?? 0
  }

  async function until(holds: () => Promise<boolean>): Promise<void> {
    while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 50))
  }

  it('an agent at the server of one cell loses nothing while its project moves to another, whose server is killed', async () => {
    await post(`${servers.main}/api/trpc/members.setup`, { token: SETUP_TOKEN, ...ADMIN })
    const entry = await post(`${servers.b}/api/auth/sign-in/email`, ADMIN)
    const cookie = entry.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ')
    const file = path.join(folder, 'agent.mjs')
    fs.writeFileSync(file, steadyAgent(CALLS))
    const agent = processes.start([file, servers.main, KEY, path.join(folder, 'agent')])
    const closed = said(agent, /closed/)
    const [, id = ''] = /session (sess_\w+)/.exec(await said(agent, /session sess_\w+\n/)) ?? []
    await until(async () => (await countEvents('main', id)) > 100)

    const documented = new NamedBlocks(import.meta.filename)
    const move = documented.take('docs/operations/cells.md', {
      'DATABASE_URL=…': `DATABASE_URL=${urls.main}`,
      'SIGNALBOX_TARGET_URL=…': `SIGNALBOX_TARGET_URL=${urls.b}`,
      'payments-3f9a1c': 'default',
    })
    expect(documented.listLeft()).toEqual([])
    const moving = processes.startProgram('bash', ['-c', move])
    await said(moving, /The project is in cell b\. Its writes were refused for \d+ ms\./)
    const atMove = await countEvents('b', id)
    await until(async () => (await countEvents('b', id)) > atMove)
    const web = webPid(path.join(folder, 'b'))
    secondServer.kill('SIGKILL')
    process.kill(web, 'SIGKILL')
    await exited(secondServer)
    await startCell('b')
    await closed
    await exited(agent)
    await exited(moving)
    expect(moving.exitCode).toBe(0)

    const ended = await query(
      urls.b,
      `SELECT contiguous_seq = max_seq AS whole, verification, ended_at IS NOT NULL AS ended FROM sessions WHERE id = '${id}'`,
    )
    expect(ended).toEqual([{ whole: true, verification: 'verified', ended: true }])
    expect(await countEvents('b', id)).toBeGreaterThan(3 * CALLS)
    expect(await countEvents('main', id)).toBe(0)
    for (const server of Object.values(servers)) {
      const input = encodeURIComponent(JSON.stringify({ sessionId: id }))
      const read = await fetch(`${server}/api/trpc/sessions.head?input=${input}`, {
        headers: { cookie },
      })
      expect(read.status, await read.text()).toBe(200)
      const page = await fetch(`${server}/sessions`, { headers: { cookie } })
      expect(page.status).toBe(200)
    }
  }, 300_000)
})
