// Two web replicas on one database, each its own process: an agent reports to one, a reader follows its session at the other. Either is
// killed with -9 and started again while the session grows. The reader does what the browser does: it listens to hints, and reads on
// from the last event that it holds without a gap. And a call that waits for a person behind a relay: asked at one, decided at the other.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { mergeEntries } from '../components/session/event-log.ts'
import { builtCli } from '../packages/cli/src/test/cli-process.ts'
import { startEmbedded } from '../server/db/embedded.mjs'
import type { IndexEntry } from '../server/read-models/event-index.ts'
import { demoKeyOf, exited, freePort, ProcessGroup, ROOT, said, webPid } from './product-process.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-replicas-'))
const processes = new ProcessGroup()
const CALLS = 800

afterAll(() => {
  processes.endAll()
  fs.rmSync(folder, { recursive: true, force: true })
})

/** Says its session's id, then makes its calls, three events each, and ends. */
const AGENT = `
import { createGuardrails } from ${JSON.stringify(path.join(ROOT, 'packages/runtime/dist/index.js'))}
const [url, apiKey, dataDir] = process.argv.slice(2)
const guardrails = createGuardrails({ url, apiKey, prompt: 'demo/release-notes', dataDir })
await guardrails.ready(30000)
const session = guardrails.openSession({})
console.log('session ' + session.id)
for (let i = 0; i < ${CALLS}; i++) {
  const call = { tool: 'list_files', args: { i }, callId: 'c' + i }
  await session.beforeToolCall(call)
  await session.afterToolCall({ ...call, outcome: 'success', output: 'ok' })
  await new Promise((resolve) => setTimeout(resolve, 20))
}
await session.end({ reason: 'completed' })
await guardrails.close(60000)
`

interface Replica {
  readonly url: string
  readonly folder: string
  readonly kill: () => Promise<void>
  readonly start: () => Promise<void>
}

async function replica(name: string, databaseUrl: string, port: number): Promise<Replica> {
  const own = path.join(folder, name)
  const env = { SIGNALBOX_DATA_DIR: own, DATABASE_URL: databaseUrl }
  const args = ['scripts/start.mjs', '--no-demo', '--port', String(port)]
  let child: ReturnType<ProcessGroup['start']> | null = null
  const start = async (): Promise<void> => {
    child = processes.start(args, env)
    await said(child, /Signalbox is ready/)
  }
  await start()
  return {
    url: `http://127.0.0.1:${port}`,
    folder: own,
    start,
    kill: async () => {
      const web = webPid(own)
      child?.kill('SIGKILL')
      process.kill(web, 'SIGKILL')
      if (child !== null) await exited(child)
    },
  }
}

/** Follows a session as an open page does; `entries` is what it would show. */
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

  /** Resolves when `isDone`; looks whenever something came. */
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
    const answer = await fetch(`${this.#url}/api/trpc/live.hints`, { headers, signal })
    if (!answer.ok || answer.body === null) throw new Error(`live.hints: ${answer.status}`)
    this.connects += 1
    void this.#read(cookie)
    for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
      if (chunk.includes(this.#sessionId)) void this.#read(cookie)
    }
  }

  /** One request at a time; a hint that comes meanwhile makes another. */
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

/** Makes the first administrator at this replica, and returns the cookie of the login there. */
async function signIn({ url, folder: own }: Replica): Promise<string> {
  const { setupToken }: { setupToken: string } = JSON.parse(
    fs.readFileSync(path.join(own, 'secrets.json'), 'utf8'),
  )
  const post = async (to: string, body: object): Promise<Response> => {
    const headers = { 'content-type': 'application/json', origin: url }
    const answer = await fetch(`${url}${to}`, {
      ...{ method: 'POST', headers },
      body: JSON.stringify(body),
    })
    expect(answer.ok, `${to}: ${answer.status}`).toBe(true)
    return answer
  }
  await post('/api/trpc/members.setup', { token: setupToken, ...ADMIN })
  const entry = await post('/api/auth/sign-in/email', ADMIN)
  return entry.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
}

let database: Awaited<ReturnType<typeof startEmbedded>>
let stopDatabase = (): Promise<void> => Promise.resolve()
let a: Replica
let b: Replica
/** Of the login at `b`. */
let cookie: string

beforeAll(async () => {
  database = await startEmbedded({ dataDir: path.join(folder, 'database') })
  stopDatabase = database.stop
  a = await replica('a', database.url, await freePort())
  // Replicas of one installation share its secrets.
  fs.mkdirSync(path.join(folder, 'b'))
  fs.copyFileSync(path.join(a.folder, 'secrets.json'), path.join(folder, 'b', 'secrets.json'))
  b = await replica('b', database.url, await freePort())
  cookie = await signIn(b)
})
afterAll(() => stopDatabase())

it('a session streams from one replica to the other, through the death of either, without a gap and without a duplicate', async () => {
  const file = path.join(folder, 'agent.mjs')
  fs.writeFileSync(file, AGENT)
  const agent = processes.start([file, a.url, demoKeyOf(a.folder), path.join(folder, 'agent')])
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
})

/** Asks a person, and says what they answered. */
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

/** One of the console's procedures at `b`. */
async function asked<Answer>(procedure: string, input: object, isQuery = false): Promise<Answer> {
  const json = JSON.stringify(input)
  const query = isQuery ? `?${new URLSearchParams({ input: json }).toString()}` : ''
  const answer = await fetch(`${b.url}/api/trpc/${procedure}${query}`, {
    headers: { cookie, origin: b.url, 'content-type': 'application/json' },
    ...(isQuery ? {} : { method: 'POST', body: json }),
  })
  const body = await answer.json()
  expect(answer.ok, `${procedure}: ${JSON.stringify(body)}`).toBe(true)
  return body.result.data
}

interface Waiting {
  readonly calls: readonly { readonly id: string; readonly input: string; readonly tool: string }[]
}

it('a call that waits behind a relay is approved at one replica while the other, which it asked, is dead', async () => {
  const prompt = { ns: 'team', key: 'asker' }
  const rule = { id: 'ask', type: 'approval', tools: ['deploy'], timeout_seconds: 120 }
  const text = JSON.stringify({ schema_version: 1, ...prompt, policies: [rule] })
  await asked('configs.create', { ...prompt, text })
  const { draft } = await asked<{
    readonly draft: { readonly id: string; readonly revision: number }
  }>('drafts.open', prompt, true)
  const release = { draftId: draft.id, revision: draft.revision, environment: 'dev', note: 'asks' }
  await asked('releases.publish', { ...prompt, ...release })

  const words = ['relay', '--upstream', a.url, '--data', path.join(folder, 'relay'), '--port', '0']
  const relay = processes.start([await builtCli(folder), ...words])
  const [, url = ''] = /(http:\/\/127\.0\.0\.1:\d+) for/.exec(await said(relay, /:\d+ for/)) ?? []
  const file = path.join(folder, 'asker.mjs')
  fs.writeFileSync(file, ASKER)
  const agent = processes.start([file, url, demoKeyOf(a.folder), path.join(folder, 'asker')])
  const answered = said(agent, /answered .*\n/)
  const waiting = () => asked<Waiting>('callApprovals.waiting', {}, true)
  await vi.waitFor(async () => expect((await waiting()).calls).toHaveLength(1), {
    ...{ timeout: 60_000, interval: 100 },
  })

  await a.kill()
  const [{ id, input } = { id: '', input: '' }] = (await waiting()).calls
  const decision = { id, input, decision: 'approved', note: 'Ship it.' }
  await asked('callApprovals.decide', decision)
  await a.start()
  expect(await answered).toMatch(/answered true sess_/)
  const outcomes = await asked<{ readonly calls: readonly object[] }>(
    'callApprovals.settled',
    { filter: {} },
    true,
  )
  expect(outcomes).toMatchObject({ calls: [{ id, decision: 'approved', note: 'Ship it.' }] })
  relay.kill('SIGTERM')
  await exited(relay)
})
