// The product is killed. An agent on a machine without any state gets its config from the relay; its events arrive when the product is back.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { afterAll, expect, it, vi } from 'vitest'
import { builtCli } from '@/packages/cli/src/test/cli-process.ts'
import { startEmbedded } from '@/server/platform/db/embedded.mjs'
import {
  exited,
  freePort,
  ProcessGroup,
  ROOT,
  readSecrets,
  said,
  webPid,
} from './product-process.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-relay-'))
const processes = new ProcessGroup()

afterAll(() => {
  processes.endAll()
  fs.rmSync(folder, { recursive: true, force: true })
})

const AGENT = `
import { createGuardrails } from ${JSON.stringify(path.join(ROOT, 'packages/runtime/dist/index.js'))}
const [url, apiKey, dataDir] = process.argv.slice(2)
const guardrails = createGuardrails({ url, apiKey, prompt: 'demo/release-notes', dataDir, startupPolicy: 'deny' })
await guardrails.ready(30000)
const session = guardrails.openSession({})
const denied = await session.beforeToolCall({ tool: 'publish_notes', args: {}, callId: 'c1' })
const call = { tool: 'list_files', args: {}, callId: 'c2' }
const allowed = await session.beforeToolCall(call)
await session.afterToolCall({ ...call, outcome: 'success', output: 'ok' })
await session.end({ reason: 'completed' })
const { applied } = guardrails.status()
await guardrails.close(20000)
console.log('told ' + JSON.stringify({
  session: session.id, source: applied?.source ?? null, revision: applied?.revision ?? null,
  denied: denied.reason, allowed: allowed.allowed,
}))
`

interface Told {
  readonly session: string
  readonly source: string | null
  readonly revision: number | null
  readonly denied: string | null
  readonly allowed: boolean
}

async function isThere(url: string): Promise<boolean> {
  return await fetch(`${url}/api/health`).then(
    ({ ok }) => ok,
    () => false,
  )
}

it('a relay serves and stores for a newly started agent while the control plane is down', async () => {
  const data = path.join(folder, 'product')
  fs.mkdirSync(data)
  const port = await freePort()
  const product = await processes.startProduct(data, port)
  const upstream = `http://127.0.0.1:${port}`
  const { demoKey: apiKey } = readSecrets(data)

  const cli = await builtCli(folder)
  const words = [
    'relay',
    '--upstream',
    upstream,
    '--data',
    path.join(folder, 'relay'),
    '--port',
    '0',
  ]
  const relay = processes.start([cli, ...words])
  const [, url = ''] = /(http:\/\/127\.0\.0\.1:\d+) for/.exec(await said(relay, /:\d+ for/)) ?? []

  const file = path.join(folder, 'agent.mjs')
  fs.writeFileSync(file, AGENT)
  const agent = async (machine: string, env: Record<string, string> = {}): Promise<Told> => {
    const child = processes.start([file, url, apiKey, path.join(folder, machine)], env)
    const output = await said(child, /told .*\n/)
    await exited(child)
    return JSON.parse(/told (.*)\n/.exec(output)?.[1] ?? '')
  }
  // The API key must have been used through this relay before. Later machines are configured with the signing key.
  const warm = await agent('first machine')
  const { publicKey } = memoryIn('first machine')

  const web = webPid(data)
  product.kill('SIGKILL')
  process.kill(web, 'SIGKILL')
  await exited(product)
  await vi.waitFor(async () => expect(await isThere(upstream)).toBe(false), { timeout: 20_000 })

  const cold = await agent('second machine', { SIGNALBOX_PUBLIC_KEY: publicKey })
  expect(cold).toMatchObject({ source: 'server', revision: warm.revision, allowed: true })
  expect(cold.denied).toBe(warm.denied)
  expect(cold.denied).toContain('run_tests')
  // No bundle of the relay has a signature by another key.
  const fooled = await agent('third machine', {
    SIGNALBOX_PUBLIC_KEY: Buffer.alloc(32, 1).toString('base64url'),
  })
  expect(fooled).toMatchObject({ source: null, allowed: false })

  const again = await processes.startProduct(data, port)
  const database = await startEmbedded({ dataDir: data })
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const stored = 'SELECT verification, end_reason FROM sessions WHERE id = $1'
  await vi.waitFor(
    async () => {
      const { rows } = await client.query(stored, [cold.session])
      expect(rows).toEqual([{ verification: 'verified', end_reason: 'completed' }])
    },
    { timeout: 60_000, interval: 100 },
  )
  await client.end()
  again.kill('SIGTERM')
  await exited(again)
})

function memoryIn(machine: string): { readonly publicKey: string } {
  const [installation = ''] = fs.readdirSync(path.join(folder, machine))
  const memory = path.join(folder, machine, installation, 'demo~release-notes.json')
  const { public_key: publicKey }: { public_key: string } = JSON.parse(
    fs.readFileSync(memory, 'utf8'),
  )
  return { publicKey }
}
