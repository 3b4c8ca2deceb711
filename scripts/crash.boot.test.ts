// kill -9 of agent, web server and database while an agent emits: what the agent was told is recorded is stored, once, without
// a gap; the product, or its next start, recovers. It all happens in the data folder of an earlier build, whose sessions survive too.
import type { ChildProcess } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, expect, it, vi } from 'vitest'
import { startEmbedded } from '../server/db/embedded.mjs'
import { earlierInstallation, restoreEarlier } from '../server/db/test-upgrade.ts'
import { demoKeyOf, exited, freePort, ProcessGroup, ROOT, said, webPid } from './product-process.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-crash-'))
const emittedFile = path.join(folder, 'emitted.log')
const processes = new ProcessGroup()
const PATIENCE = { timeout: 60_000, interval: 20 }

/** An agent that works until it has emitted about 2,000 events, noting after each call what the runtime acknowledged. */
const AGENT = `
import fs from 'node:fs'
import { createGuardrails } from ${JSON.stringify(path.join(ROOT, 'packages/runtime/dist/index.js'))}
const [url, apiKey, dataDir, log, calls] = process.argv.slice(2)
const guardrails = createGuardrails({ url, apiKey, prompt: 'demo/release-notes', dataDir })
await guardrails.ready()
const session = guardrails.openSession({})
for (let i = 0; i < Number(calls); i++) {
  const call = { tool: 'list_files', args: { i }, callId: 'c' + i }
  await session.beforeToolCall(call)
  await session.afterToolCall({ ...call, outcome: 'success', output: 'ok' })
  fs.appendFileSync(log, session.id + ' ' + (3 * i + 4) + '\\n')
  if (i % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 5))
}
await session.end({ reason: 'completed' })
await guardrails.close(20000)
`

/** Of each session, the sequence of the last event that its agent saw recorded; none before the first. */
function emitted(): ReadonlyMap<string, number> {
  if (!fs.existsSync(emittedFile)) return new Map()
  const lines = fs.readFileSync(emittedFile, 'utf8').trim().split('\n')
  return new Map(
    lines.map((line): [string, number] => [line.split(' ')[0] ?? '', Number(line.split(' ')[1])]),
  )
}

/** Resolves when the agent of the `count`th session is at work: how long a process takes to begin is the machine's affair. */
async function inTheMiddle(count: number): Promise<void> {
  await vi.waitUntil(
    () => emitted().size === count && [...emitted().values()].every((seq) => seq > 100),
    {
      ...PATIENCE,
    },
  )
}

afterAll(() => {
  processes.endAll()
})

/** The data folder that an earlier build left behind. */
async function restoreFolder(): Promise<void> {
  const database = await startEmbedded({ dataDir: folder })
  await restoreEarlier(database.url)
  await database.stop()
  const secrets = JSON.stringify(earlierInstallation().secrets)
  fs.writeFileSync(path.join(folder, 'secrets.json'), secrets, { mode: 0o600 })
}

/** Kills the database under the product and waits until the product has it again. Returns each status that the page /login had meanwhile. */
async function killDatabase(product: ChildProcess, url: string): Promise<ReadonlySet<number>> {
  const database = await startEmbedded({ dataDir: folder })
  const isBack = said(product, /The database is back after \d+ ms\./)
  const [statuses, healths] = [new Set<number>(), new Set<number>()]
  const status = async (path: string): Promise<number> => (await fetch(`${url}${path}`)).status
  process.kill(database.pid, 'SIGKILL')
  await vi.waitUntil(async () => {
    statuses.add(await status('/login'))
    healths.add(await status('/api/health'))
    return statuses.has(503) && healths.has(503)
  }, PATIENCE)
  await isBack
  await vi.waitUntil(async () => (await status('/api/health')) === 200, PATIENCE)
  statuses.add(await status('/login'))
  return statuses
}

it('loses and repeats nothing through kill -9 of agent, web server and database', async () => {
  await restoreFolder()
  const port = await freePort()
  let product = await processes.startProduct(folder, port)
  const demoKey = demoKeyOf(folder)
  const agentFile = path.join(folder, 'agent.mjs')
  fs.writeFileSync(agentFile, AGENT)
  const agent = (calls: number) =>
    processes.start([
      agentFile,
      `http://127.0.0.1:${port}`,
      demoKey,
      path.join(folder, 'agent'),
      emittedFile,
      String(calls),
    ])

  const first = agent(5000)
  await inTheMiddle(1)
  const statuses = await killDatabase(product, `http://127.0.0.1:${port}`)
  // 200 at first where the server had not noticed yet, and at the end.
  expect([...statuses].filter((status) => status !== 200)).toEqual([503])
  expect(first.exitCode).toBe(null)
  first.kill('SIGKILL')

  const second = agent(670)
  await inTheMiddle(2)
  process.kill(webPid(folder), 'SIGKILL')
  await exited(product)
  product = await processes.startProduct(folder, port)

  await wait(300)
  const database = await startEmbedded({ dataDir: folder })
  process.kill(database.pid, 'SIGKILL')
  await wait(300)
  product.kill('SIGKILL')
  await exited(product)
  product = await processes.startProduct(folder, port)
  await exited(second)
  // What an agent could not send any more is sent by the next one in the same folder.
  await exited(agent(1))

  const after = await startEmbedded({ dataDir: folder })
  const client = new pg.Client({ connectionString: after.url })
  await client.connect()
  const stored = await client.query<{
    id: string
    contiguous: number
    most: number
    rows: number
    verification: string
  }>(
    `SELECT s.id, s.contiguous_seq AS contiguous, s.max_seq AS most, s.verification,
            (SELECT count(*)::int FROM session_events e WHERE e.session_id = s.id) AS rows FROM sessions s`,
  )
  await client.end()
  product.kill('SIGTERM')
  await exited(product)

  const expected = emitted()
  expect(expected.size).toBe(3)
  expect([...expected.values()].some((seq) => seq >= 2000)).toBe(true)
  for (const [session, seq] of expected) {
    const row = stored.rows.find(({ id }) => id === session)
    expect(row?.contiguous).toBeGreaterThanOrEqual(seq)
    expect(row?.most).toBe(row?.contiguous)
    expect(row?.rows).toBe(row?.contiguous)
  }
  for (const { id, contiguous_seq: contiguous } of earlierInstallation().tables['sessions'] ?? []) {
    const row = stored.rows.find((one) => one.id === id)
    expect(row).toEqual({
      id,
      contiguous,
      most: contiguous,
      rows: contiguous,
      verification: 'verified',
    })
  }
  fs.rmSync(folder, { recursive: true, force: true })
})
