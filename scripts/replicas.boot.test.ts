// They share one secret and the database, through PgBouncer where installed. Either is killed with -9 while a session grows; the reader, like
// the browser, continues from the last event before a gap. A call behind a relay gets its decision from the other replica.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import zlib from 'node:zlib'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { mergeEntries } from '@/components/sessions/page/event-log.ts'
import { builtCli } from '@/packages/cli/src/test/cli-process.ts'
import { startEmbedded } from '@/server/platform/db/embedded.mjs'
import type { IndexEntry } from '@/server/sessions/log/event-index.sql.ts'
import { NamedBlocks } from './document-blocks.mjs'
import { hasPgBouncer, startPgBouncer } from './pgbouncer.ts'
import {
  exited,
  freePort,
  ProcessGroup,
  ROOT,
  runScript,
  said,
  steadyAgent,
  webPid,
} from './product-process.ts'
import { IS_SOAK } from './soak-sample.mjs'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-replicas-'))
const processes = new ProcessGroup()
const CALLS = 800

afterAll(() => {
  processes.endAll()
  fs.rmSync(folder, { recursive: true, force: true })
})

interface Replica {
  readonly url: string
  readonly folder: string
  readonly kill: () => Promise<void>
  readonly start: () => Promise<void>
  readonly output: () => string
}

/** Extra variables of the first replica, which the second one decrypts with the secret. */
const SEALED = {
  SIGNALBOX_SETUP_TOKEN: 'set-up token of replicas',
  SIGNALBOX_DEMO_KEY: `sbx_0123abcd_${'k'.repeat(43)}`,
}
const PUBLIC = 'http://signalbox.example.test'

type Environment = Readonly<Record<string, string>>

async function replica(name: string, given: Environment, port: number): Promise<Replica> {
  const own = path.join(folder, name)
  const env = {
    SIGNALBOX_DATA_DIR: own,
    SIGNALBOX_SECRET: 'the one secret that replicas share',
    SIGNALBOX_URL: PUBLIC,
    ...given,
  }
  const args = ['scripts/start.mjs', '--no-demo', '--port', String(port)]
  let child: ReturnType<ProcessGroup['start']> | null = null
  let output = ''
  const start = async (): Promise<void> => {
    child = processes.start(args, env)
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
    await said(child, /Signalbox is ready/)
  }
  await start()
  return {
    url: `http://127.0.0.1:${port}`,
    folder: own,
    start,
    output: () => output,
    kill: async () => {
      const web = webPid(own)
      child?.kill('SIGKILL')
      process.kill(web, 'SIGKILL')
      if (child !== null) await exited(child)
    },
  }
}

class Collector {
  readonly #server = http.createServer(async (request, response) => {
    for await (const chunk of request.setEncoding('utf8')) this.text += chunk
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  text = ''

  async start(port: number): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve))
    return `http://127.0.0.1:${port}`
  }

  stop(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}

class Reader {
  entries: readonly IndexEntry[] = []
  connects = 0
  readonly #url: string
  readonly #sessionId: string
  #isReading = false
  #isAgain = false
  #changed: () => void = () => undefined

  constructor(url: string, sessionId: string) {
    this.#url = url
    this.#sessionId = sessionId
  }

  /** Resolves when `isDone` is true, which it checks after every page of entries. */
  async until(isDone: () => boolean): Promise<void> {
    while (!isDone()) {
      await new Promise<void>((resolve) => {
        this.#changed = resolve
      })
    }
  }

  async follow(cookie: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#listen(cookie, signal).catch(() => undefined)
      if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, 250))
    }
  }

  async #listen(cookie: string, signal: AbortSignal): Promise<void> {
    const headers = { cookie, accept: 'text/event-stream' }
    const answer = await fetch(`${this.#url}/api/trpc/live.notifications`, { headers, signal })
    if (!answer.ok || answer.body === null) throw new Error(`live.notifications: ${answer.status}`)
    this.connects += 1
    void this.#read(cookie)
    for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
      if (chunk.includes(this.#sessionId)) void this.#read(cookie)
    }
  }

  /** One request at a time; a notification that arrives meanwhile causes another. */
  async #read(cookie: string): Promise<void> {
    this.#isAgain = true
    if (this.#isReading) return
    this.#isReading = true
    try {
      while (this.#isAgain) {
        this.#isAgain = false
        this.#take(await this.#page(cookie))
      }
    } catch {
      // The replica is gone; the next connect reads again.
    } finally {
      this.#isReading = false
    }
  }

  async #page(cookie: string): Promise<readonly IndexEntry[]> {
    const gap = this.entries.findIndex(([seq], index) => seq !== index + 1)
    const afterSeq = gap === -1 ? this.entries.length : gap
    const input = JSON.stringify({ sessionId: this.#sessionId, afterSeq })
    const query = new URLSearchParams({ input })
    const answer = await fetch(`${this.#url}/api/trpc/sessions.index?${query.toString()}`, {
      headers: { cookie },
    })
    const body: { readonly result: { readonly data: readonly IndexEntry[] } } = await answer.json()
    return body.result.data
  }

  #take(page: readonly IndexEntry[]): void {
    this.entries = mergeEntries(this.entries, page)
    this.#changed()
  }
}

const ADMIN = { name: 'Ana', email: 'ana@example.test', password: 'correct horse battery' }

async function post(url: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json', origin: PUBLIC }
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  expect(answer.ok, `${url}: ${answer.status}`).toBe(true)
  return answer
}

async function signIn({ url }: Replica): Promise<string> {
  const entry = await post(`${url}/api/auth/sign-in/email`, ADMIN)
  return entry.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
}

let database: Awaited<ReturnType<typeof startEmbedded>>
let stopDatabase = (): Promise<void> => Promise.resolve()
/** Empty where PgBouncer is not installed. */
const pooler = { url: '' }
const collector = new Collector()
let a: Replica
let b: Replica
let cookie: string

beforeAll(async () => {
  fs.chmodSync(folder, 0o755)
  database = await startEmbedded({ dataDir: path.join(folder, 'database') })
  stopDatabase = database.stop
  if (hasPgBouncer()) {
    const place = { folder: path.join(folder, 'pgbouncer'), port: await freePort() }
    pooler.url = await startPgBouncer(processes, { ...place, server: database.url })
  }
  const addresses: Environment =
    pooler.url === ''
      ? { DATABASE_URL: database.url }
      : { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: database.url }
  const OTEL_EXPORTER_OTLP_ENDPOINT = await collector.start(await freePort())
  const logs = { SIGNALBOX_LOG_LEVEL: 'debug' }
  const first = { ...addresses, ...SEALED, ...logs, OTEL_EXPORTER_OTLP_ENDPOINT }
  a = await replica('a', first, await freePort())
  const second = { ...addresses, ...logs, SIGNALBOX_LOG: 'stdout' }
  b = await replica('b', second, await freePort())
  // The setup link of one replica works at the other.
  await post(`${b.url}/api/trpc/members.setup`, { token: SEALED.SIGNALBOX_SETUP_TOKEN, ...ADMIN })
  cookie = await signIn(b)
})
afterAll(async () => {
  collector.stop()
  await stopDatabase()
})

it.runIf(IS_SOAK)(
  'a session streams between replicas without a gap or a duplicate while either one is killed',
  async () => {
    const file = path.join(folder, 'agent.mjs')
    fs.writeFileSync(file, steadyAgent(CALLS))
    const agent = processes.start([
      file,
      a.url,
      SEALED.SIGNALBOX_DEMO_KEY,
      path.join(folder, 'agent'),
    ])
    const [, id = ''] = /session (sess_\w+)/.exec(await said(agent, /session sess_\w+\n/)) ?? []
    const reader = new Reader(b.url, id)
    const closing = new AbortController()
    const following = reader.follow(cookie, closing.signal)
    const held = (): number => reader.entries.length
    const isEnded = (): boolean => reader.entries.some(([, , type]) => type === 'session.ended')

    await reader.until(() => held() > 100)
    await a.kill()
    const atDeath = held()
    await a.start()
    await reader.until(() => held() > atDeath + 100)
    expect(reader.connects).toBe(1)

    await b.kill()
    await b.start()
    await reader.until(() => isEnded() && reader.connects === 2)
    closing.abort()
    await following
    await exited(agent)

    const seqs = reader.entries.map(([seq]) => seq)
    expect(seqs).toEqual(seqs.map((_, index) => index + 1))
    expect(seqs.length).toBeGreaterThan(3 * CALLS)
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    const { rows } = await client.query(
      'SELECT max_seq, contiguous_seq, verification FROM sessions WHERE id = $1',
      [id],
    )
    await client.end()
    expect(rows).toEqual([
      { max_seq: seqs.length, contiguous_seq: seqs.length, verification: 'verified' },
    ])
  },
)

const ASKER = `
import { createGuardrails } from ${JSON.stringify(path.join(ROOT, 'packages/runtime/dist/index.js'))}
const [url, apiKey, dataDir] = process.argv.slice(2)
const guardrails = createGuardrails({ url, apiKey, prompt: 'team/asker', dataDir })
await guardrails.ready(30000)
const session = guardrails.openSession({})
const { allowed } = await session.beforeToolCall({ tool: 'deploy', args: { to: 'shop' }, callId: 'c1' })
await session.end({ reason: 'completed' })
await guardrails.close(20000)
console.log('answered ' + allowed + ' ' + session.id)
`

async function asked<Answer>(
  procedure: string,
  input: object,
  { isQuery = false, at = b }: { readonly isQuery?: boolean; readonly at?: Replica } = {},
): Promise<Answer> {
  const json = JSON.stringify(input)
  const query = isQuery ? `?${new URLSearchParams({ input: json }).toString()}` : ''
  const answer = await fetch(`${at.url}/api/trpc/${procedure}${query}`, {
    headers: { cookie, origin: PUBLIC, 'content-type': 'application/json' },
    ...(isQuery ? {} : { method: 'POST', body: json }),
  })
  const body = await answer.json()
  expect(answer.ok, `${procedure}: ${JSON.stringify(body)}`).toBe(true)
  return body.result.data
}

async function publish(at: Replica, key: string, policies: readonly object[]): Promise<void> {
  const prompt = { ns: 'team', key }
  const text = JSON.stringify({ schema_version: 1, ...prompt, policies })
  await asked('configs.create', { ...prompt, text }, { at })
  const { draft } = await asked<{
    readonly draft: { readonly id: string; readonly revision: number }
  }>('drafts.open', prompt, { isQuery: true, at })
  const release = { draftId: draft.id, revision: draft.revision, environment: 'dev', note: 'asks' }
  await asked('releases.publish', { ...prompt, ...release }, { at })
}

it('replicas without a shared folder publish alike', async () => {
  await publish(a, 'from-a', [])
  await publish(b, 'from-b', [])
  const etagAt = async ({ url }: Replica): Promise<string | null> => {
    const headers = { authorization: `Bearer ${SEALED.SIGNALBOX_DEMO_KEY}` }
    const answer = await fetch(`${url}/api/runtime/v1/config`, { headers })
    expect(answer.status).toBe(200)
    return answer.headers.get('etag')
  }
  expect(await etagAt(a)).toBe(await etagAt(b))
  expect([a, b].map((one) => fs.existsSync(path.join(one.folder, 'secrets.json')))).toEqual([
    false,
    false,
  ])
})

it('a replica with a collector sends spans without addresses, secrets or content', async () => {
  const token = 'token-in-an-address'
  const trace = '0af7651916cd43dd8448eb211c80319c'
  await fetch(`${a.url}/setup?token=${token}`, {
    headers: { cookie, traceparent: `00-${trace}-b7ad6b7169203331-01` },
  })
  await asked('configs.list', { filter: {} }, { isQuery: true, at: a })
  const session = `sess_${'0'.repeat(26)}`
  const harness = { name: 'harness-in-an-event' }
  const data = { ns: 'demo', key: 'release-notes', environment: 'dev', harness }
  const event = { session, seq: 1, at: Date.now(), type: 'session.started', data }
  const stored = await fetch(`${a.url}/api/runtime/v1/events`, {
    method: 'POST',
    body: JSON.stringify(event),
    headers: {
      authorization: `Bearer ${SEALED.SIGNALBOX_DEMO_KEY}`,
      'content-type': 'application/x-ndjson',
    },
  })
  expect(await stored.json()).toMatchObject({ acked_through: { [session]: 1 } })
  const names = (): readonly string[] =>
    [...collector.text.matchAll(/"name":"([^"]+)"/g)].map(([, name = '']) => name)
  for (const name of ['POST runtime/events', 'store batch', 'tRPC configs.list', 'GET page'])
    await vi.waitFor(() => expect(names()).toContain(name), { timeout: 60_000, interval: 100 })
  await vi.waitFor(() => expect(collector.text).toContain(trace), {
    timeout: 60_000,
    interval: 100,
  })
  expect(names().some((name) => name.startsWith('pg.query:INSERT'))).toBe(true)
  expect(names()).toContain('BaseServer.handleRequest /setup')
  expect(collector.text).toContain('INSERT INTO')
  const secrets = [token, ...cookie.split('; '), ...Object.values(SEALED), ADMIN.password]
  for (const secret of [...secrets, ADMIN.email, session, harness.name])
    expect(collector.text).not.toContain(secret)
  expect(readProgram(a)).toContain('tracing.mjs')
  expect(readProgram(b)).not.toContain('tracing.mjs')
})

function hasRequest(log: string, id: string): boolean {
  const line = log.split('\n').find((one) => one.includes(id)) ?? '{}'
  const { time, level, msg, requestId } = JSON.parse(line)
  return (
    !Number.isNaN(Date.parse(time)) && level === 'debug' && msg === 'request' && requestId === id
  )
}

async function requestIdAt({ url }: Replica): Promise<string> {
  return (await fetch(`${url}/livez`)).headers.get('x-request-id') ?? 'none'
}

const WAIT = { timeout: 60_000, interval: 100 }

it('with SIGNALBOX_LOG=stdout the log is written to standard output only, one JSON object per line', async () => {
  const id = await requestIdAt(b)
  await vi.waitFor(() => expect(hasRequest(b.output(), id)).toBe(true), WAIT)
  expect(fs.readdirSync(b.folder).filter((name) => name.endsWith('.log'))).toEqual([])
})

const LOGROTATE = 'logrotate'
const NO_LOGROTATE =
  spawnSync(LOGROTATE, ['--version']).error === undefined
    ? ''
    : ' (skipped: logrotate is not installed)'

it.skipIf(NO_LOGROTATE !== '')(
  `logrotate rotates the log of a running server with the deployed file${NO_LOGROTATE}`,
  async () => {
    const log = path.join(a.folder, 'server.log')
    const before = await requestIdAt(a)
    await vi.waitFor(
      () => expect(hasRequest(fs.readFileSync(log, 'utf8'), before)).toBe(true),
      WAIT,
    )
    const { username } = os.userInfo()
    const group = spawnSync('id', ['-gn'], { encoding: 'utf8' }).stdout.trim()
    const file = path.join(folder, 'logrotate')
    const text = fs.readFileSync(path.join(ROOT, 'deploy/signalbox.logrotate'), 'utf8')
    const own = text
      .replace('/var/lib/signalbox/server.log', log)
      .replace('su signalbox signalbox', `su ${username} ${group}`)
    expect(own).toContain(`su ${username} `)
    fs.writeFileSync(file, own, { mode: 0o600 })
    const state = path.join(folder, 'logrotate.state')
    const done = spawnSync(LOGROTATE, ['--force', '--state', state, file], { encoding: 'utf8' })
    expect([done.status, done.stderr]).toEqual([0, ''])
    expect(hasRequest(zlib.gunzipSync(fs.readFileSync(`${log}.1.gz`)).toString(), before)).toBe(
      true,
    )
    const next = await requestIdAt(a)
    await vi.waitFor(() => expect(hasRequest(fs.readFileSync(log, 'utf8'), next)).toBe(true), WAIT)
    const rest = fs.readFileSync(log, 'utf8')
    expect(rest).not.toContain(before)
    // No holes where the rotated lines were.
    expect(rest.startsWith('{')).toBe(true)
  },
)

/** Command line of the web process, whose arguments show the modules that it loads. */
function readProgram({ folder: own }: Replica): string {
  return process.platform === 'linux'
    ? fs.readFileSync(`/proc/${webPid(own)}/cmdline`, 'utf8')
    : spawnSync('ps', ['-o', 'args=', '-p', String(webPid(own))], { encoding: 'utf8' }).stdout
}

interface Waiting {
  readonly calls: readonly { readonly id: string; readonly input: string; readonly tool: string }[]
}

/** Calls a tool again and again, and prints each new answer; ends when a stop is allowed after it was ended. */
const LOOPER = `
import { createGuardrails } from ${JSON.stringify(path.join(ROOT, 'packages/runtime/dist/index.js'))}
const [url, apiKey, dataDir] = process.argv.slice(2)
const guardrails = createGuardrails({ url, apiKey, prompt: 'team/looper', dataDir })
await guardrails.ready(30000)
const session = guardrails.openSession({})
console.log('began ' + session.id + ' .')
for (let last = ''; !last.startsWith('Ended'); ) {
  const { allowed, reason, callId } = await session.beforeToolCall({ tool: 'look', args: {} })
  if (allowed) await session.afterToolCall({ tool: 'look', args: {}, callId, outcome: 'success' })
  const answer = reason ?? 'allowed'
  if (answer !== last) console.log('answer ' + answer + ' .')
  last = answer
  await new Promise((resolve) => setTimeout(resolve, 100))
}
const { decision } = await session.beforeStop({ via: 'turn_end' })
await session.end({ reason: 'completed' })
await guardrails.close(20000)
console.log('stopped ' + decision.verdict + ' ' + decision.bypass + ' .')
`

interface Control {
  readonly state: string
  readonly pending: object | null
  readonly obstacle: string | null
}

it('users stay signed in, a call behind a relay is approved, and a session paused, at one replica while the other is down', async () => {
  const cookies = [cookie, await signIn(a), await signIn(b), await signIn(a)]
  const signedInAt = async ({ url }: Replica): Promise<readonly boolean[]> =>
    await Promise.all(
      cookies.map(async (as) => {
        const answer = await fetch(`${url}/api/trpc/projects.mine`, { headers: { cookie: as } })
        return answer.ok
      }),
    )
  const everybody = cookies.map(() => true)
  const rule = { id: 'ask', type: 'approval', tools: ['deploy'], timeout_seconds: 120 }
  await publish(b, 'asker', [rule])
  await publish(b, 'looper', [])
  const words = ['relay', '--upstream', a.url, '--data', path.join(folder, 'relay'), '--port', '0']
  const relay = processes.start([await builtCli(folder), ...words])
  const [, url = ''] = /(http:\/\/127\.0\.0\.1:\d+) for/.exec(await said(relay, /:\d+ for/)) ?? []
  const start = (name: string, program: string) => {
    const file = path.join(folder, `${name}.mjs`)
    fs.writeFileSync(file, program)
    return processes.start([file, url, SEALED.SIGNALBOX_DEMO_KEY, path.join(folder, name)])
  }
  const answered = said(start('asker', ASKER), /answered .*\n/)
  const waiting = () => asked<Waiting>('callApprovals.waiting', {}, { isQuery: true })
  await vi.waitFor(async () => expect((await waiting()).calls).toHaveLength(1), WAIT)
  const agent = start('looper', LOOPER)
  const [, sessionId = ''] = /began (sess_\w+) /.exec(await said(agent, /began sess_\w+ \./)) ?? []
  const control = () => asked<Control>('sessionOrders.control', { sessionId }, { isQuery: true })
  const give = (action: string, reason: string) =>
    asked('sessionOrders.give', { sessionId, action, reason })
  const patience = { timeout: 90_000, interval: 200 }
  await vi.waitFor(async () => expect((await control()).obstacle).toBeNull(), patience)
  expect(await signedInAt(a)).toEqual(everybody)

  const paused = said(agent, /answer Paused by Ana: It loops\. \./)
  await a.kill()
  expect(await signedInAt(b)).toEqual(everybody)
  const [{ id, input } = { id: '', input: '' }] = (await waiting()).calls
  const decision = { id, input, decision: 'approved', note: 'Ship it.' }
  await asked('callApprovals.decide', decision)
  await give('pause', 'It loops.')
  expect(await control()).toMatchObject({ state: 'running', pending: { action: 'pause' } })
  await a.start()
  expect(await signedInAt(a)).toEqual(everybody)

  expect(await answered).toMatch(/answered true sess_/)
  const outcomes = await asked<{ readonly calls: readonly object[] }>(
    'callApprovals.settled',
    { filter: {} },
    { isQuery: true },
  )
  expect(outcomes).toMatchObject({ calls: [{ id, decision: 'approved', note: 'Ship it.' }] })

  await paused
  await vi.waitFor(async () => expect(await control()).toMatchObject({ state: 'paused' }), patience)
  const resumed = said(agent, /answer allowed \./)
  await give('resume', 'Fixed.')
  await resumed
  const stopped = said(agent, /stopped .* \./)
  await give('end', 'Enough.')
  expect(await stopped).toContain('stopped bypassed ended')
  relay.kill('SIGTERM')
  await exited(relay)
}, 240_000)

it.runIf(IS_SOAK)(
  'lost, foreign or conflicting secrets are refused with one sentence, and the right secrets are sealed',
  async () => {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    await client.query('CREATE DATABASE secrets')
    await client.end()
    const address = new URL(database.url)
    address.pathname = '/secrets'
    const DATABASE_URL = address.toString()
    const port = await freePort()
    const SEALS = { SIGNALBOX_SECRET: 'the one secret that replicas share' }
    const start = (name: string, env: Environment) =>
      processes.start(['scripts/start.mjs', '--no-demo', '--port', String(port)], {
        DATABASE_URL,
        SIGNALBOX_DATA_DIR: path.join(folder, name),
        ...env,
      })
    const refused = async (name: string, env: Environment, sentence: RegExp): Promise<void> => {
      await expect(said(start(name, env), /Signalbox is ready/)).rejects.toThrow(sentence)
    }
    const accepted = async (name: string, env: Environment): Promise<void> => {
      const child = start(name, env)
      await said(child, /Signalbox is ready/)
      child.kill('SIGTERM')
      await exited(child)
    }
    await accepted('used', {})
    const DIFFERENT = { ...SEALS, SIGNALBOX_AUTH_SECRET: 'd'.repeat(32) }
    await refused(
      'used',
      DIFFERENT,
      /ended with 20: SIGNALBOX_AUTH_SECRET of the environment and \S+\/used\/secrets\.json differ\. Remove the one that is not this installation's\.\n$/,
    )
    const LOST =
      /ended with 20: This database belongs to an installation whose secrets are missing\. Restore \S+\/lost\/secrets\.json, or set /
    await refused('lost', {}, LOST)
    await refused('lost', SEALS, LOST)
    const other = path.join(folder, 'other')
    const own = JSON.parse(fs.readFileSync(path.join(folder, 'used/secrets.json'), 'utf8'))
    const foreign = { ...own, signingKey: 'A'.repeat(43), authSecret: 'o'.repeat(43) }
    fs.mkdirSync(other)
    fs.writeFileSync(path.join(other, 'secrets.json'), JSON.stringify(foreign))
    await refused(
      'other',
      SEALS,
      /ended with 20: SIGNALBOX_SIGNING_KEY does not belong to this database, so it is not sealed\./,
    )
    await accepted('used', SEALS)
    await refused(
      'other',
      SEALS,
      /ended with 20: SIGNALBOX_AUTH_SECRET of \S+\/other\/secrets\.json and the secrets that are sealed in the database differ\./,
    )
    await accepted('lost', SEALS)
    expect(fs.existsSync(path.join(folder, 'lost/secrets.json'))).toBe(false)

    const documented = new NamedBlocks(import.meta.filename)
    const rotate = documented.take('docs/operations/configure.md', {
      'SIGNALBOX_SECRET=…': `SIGNALBOX_SECRET='${SEALS.SIGNALBOX_SECRET}'`,
      'SIGNALBOX_NEW_SECRET=…': "SIGNALBOX_NEW_SECRET='the next secret that replicas share'",
    })
    expect(documented.listLeft()).toEqual([])
    const env = { DATABASE_URL, SIGNALBOX_DATA_DIR: path.join(folder, 'lost') }
    const rotated = await runScript(rotate, env)
    expect([rotated.code, rotated.said]).toEqual([
      0,
      expect.stringContaining('The secrets are sealed with SIGNALBOX_NEW_SECRET.'),
    ])
    // The old secret no longer opens them.
    expect((await runScript(rotate, env)).code).toBe(20)
  },
)

const NO_PGBOUNCER = hasPgBouncer()
  ? ''
  : ' (skipped: pgbouncer is not installed, apt-get install pgbouncer)'

it.skipIf(NO_PGBOUNCER !== '')(
  `a pooler in transaction mode gets no session locks, listeners or prepared statements${NO_PGBOUNCER}`,
  async () => {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    const listening = await client.query(
      "SELECT count(*)::int AS connections FROM pg_stat_activity WHERE query LIKE 'LISTEN%'",
    )
    const locks = await client.query<{ pid: number }>(
      "SELECT DISTINCT pid FROM pg_locks WHERE locktype = 'advisory'",
    )
    expect(listening.rows[0].connections).toBeGreaterThan(0)
    const pooled = new pg.Client({ connectionString: pooler.url })
    await pooled.connect()
    const pids = new Set<number>()
    for (let i = 0; i < 20; i++) {
      const { rows } = await pooled.query<{ pid: number; statements: number; channels: number }>(
        `SELECT pg_backend_pid() AS pid, (SELECT count(*)::int FROM pg_prepared_statements) AS statements,
         (SELECT count(*)::int FROM pg_listening_channels()) AS channels`,
      )
      expect(rows[0]).toMatchObject({ statements: 0, channels: 0 })
      pids.add(rows[0]?.pid ?? 0)
    }
    expect(locks.rows.filter(({ pid }) => pids.has(pid))).toEqual([])
    await pooled.end()
    await client.end()
  },
)

it.skipIf(NO_PGBOUNCER !== '')(
  `a start with only a pooler in transaction mode is refused with one sentence${NO_PGBOUNCER}`,
  async () => {
    const env = { SIGNALBOX_DATA_DIR: path.join(folder, 'refused'), DATABASE_URL: pooler.url }
    const port = String(await freePort())
    const child = processes.start(['scripts/start.mjs', '--no-demo', '--port', port], env)
    await expect(said(child, /Signalbox is ready/)).rejects.toThrow(
      /ended with 20: DATABASE_URL leads to a connection pooler in transaction mode\. Set DATABASE_DIRECT_URL/,
    )
  },
)
