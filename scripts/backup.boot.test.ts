// Real programs, while an agent works. The restored server starts at the same address, and the agent is ahead of it.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createGuardrails, type GuardedSession } from '@signalbox/runtime'
import type pg from 'pg'
import { afterAll, expect, it, vi } from 'vitest'
import { accountFor } from '@/server/platform/db/embedded/account.mjs'
import {
  buildDatabaseUrl,
  initialize,
  start,
  stop,
} from '@/server/platform/db/embedded/cluster.mjs'
import { startEmbedded } from '@/server/platform/db/embedded.mjs'
import { NamedBlocks } from './document-blocks.mjs'
import { withClient } from './installation.mjs'
import {
  exited,
  freePort,
  ProcessGroup,
  ROOT,
  readSecrets,
  runScript,
  runToEnd,
} from './product-process.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-backup-'))
// When root starts it, the database runs under a separate account, which must be able to enter the folder.
fs.chmodSync(folder, 0o755)
const processes = new ProcessGroup()
const documented = new NamedBlocks(import.meta.filename)
const BACK_UP = 'docs/operations/back-up.md'
const EXAMPLE = '/backups/signalbox-2026-11-23.backup'
const PASSPHRASE = 'a passphrase of many words'
const ADMIN = { name: 'Ana', email: 'ana@example.test', password: 'correct horse battery' }

afterAll(() => {
  processes.endAll()
  fs.rmSync(folder, { recursive: true, force: true })
})

class Console {
  readonly #url: string
  #cookie = ''

  constructor(url: string) {
    this.#url = url
  }

  async setUp(token: string): Promise<void> {
    await this.#send('/api/trpc/members.setup', { token, ...ADMIN })
    const entry = await this.#send('/api/auth/sign-in/email', ADMIN)
    const cookies = entry.headers.getSetCookie().map((line) => line.split(';')[0])
    this.#cookie = cookies.join('; ')
  }

  async #send(address: string, body?: object): Promise<Response> {
    const answer = await fetch(`${this.#url}${address}`, {
      headers: { cookie: this.#cookie, origin: this.#url, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    expect(answer.ok, `${address}: ${answer.status}`).toBe(true)
    return answer
  }

  async read<Answer>(procedure: string, input: object): Promise<Answer> {
    const query = new URLSearchParams({ input: JSON.stringify(input) })
    const answer = await this.#send(`/api/trpc/${procedure}?${query.toString()}`)
    const body: { readonly result: { readonly data: Answer } } = await answer.json()
    return body.result.data
  }

  async publish(key: string): Promise<void> {
    const prompt = { ns: 'team', key }
    const text = JSON.stringify({ schema_version: 1, ...prompt })
    await this.#send('/api/trpc/configs.create', { ...prompt, text })
    const { draft } = await this.read<{ readonly draft: { id: string; revision: number } }>(
      'drafts.open',
      prompt,
    )
    const release = { draftId: draft.id, revision: draft.revision, environment: 'dev' }
    await this.#send('/api/trpc/releases.publish', { ...prompt, ...release })
  }
}

interface Stored {
  readonly id: string
  readonly contiguous: number
  readonly most: number
  readonly verification: string
}

async function withDatabase<Result>(
  dataDir: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const { url } = await startEmbedded({ dataDir })
  return await withClient(url, work)
}

const sessionsIn = (dataDir: string): Promise<readonly Stored[]> =>
  withDatabase(dataDir, async (client) => {
    const { rows } = await client.query<Stored>(
      'SELECT id, contiguous_seq AS contiguous, max_seq AS most, verification FROM sessions',
    )
    return rows
  })

const eventsIn = (dataDir: string, ids: readonly string[]) =>
  withDatabase(dataDir, async (client) => {
    const { rows } = await client.query<{ readonly id: string }>(
      'SELECT session_id AS id, seq, received_at, hash, data FROM session_events WHERE session_id = ANY ($1) ORDER BY 1, 2',
      [ids],
    )
    return rows
  })

/** True when the agent holds no unsent event. */
const areSent = (): boolean =>
  fs
    .readdirSync(path.join(folder, 'agent'), { recursive: true, encoding: 'utf8' })
    .every((name) => !name.endsWith('.ndjson'))

/** Makes calls of three events each. */
async function call(session: GuardedSession, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const one = { tool: 'list_files', args: { i }, callId: `c${Math.random()}` }
    await session.beforeToolCall(one)
    await session.afterToolCall({ ...one, outcome: 'success', output: 'ok' })
  }
}

const until = (isTrue: () => unknown): Promise<unknown> =>
  vi.waitUntil(isTrue, { timeout: 90_000, interval: 50 })

it('a backup made under load is restored, accepted by a runtime that is ahead, and reports missing data', async () => {
  const [before, after] = [path.join(folder, 'before'), path.join(folder, 'after')]
  const file = path.join(folder, 'signalbox.backup')
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const first = await processes.startProduct(before, port)
  const { setupToken } = JSON.parse(fs.readFileSync(path.join(before, 'secrets.json'), 'utf8'))
  const admin = new Console(url)
  await admin.setUp(setupToken)

  const guardrails = createGuardrails({
    url,
    apiKey: readSecrets(before).demoKey,
    prompt: 'demo/release-notes',
    dataDir: path.join(folder, 'agent'),
  })
  await guardrails.ready()
  const [whole, idle, busy] = [1, 2, 3].map(() => guardrails.openSession({}))
  if (!whole || !idle || !busy) throw new Error('No session was opened.')
  const ids = [whole.id, idle.id, busy.id]
  for (const session of [whole, idle, busy]) await call(session, 3)
  await whole.end({ reason: 'completed' })
  await until(areSent)
  const saved = await eventsIn(before, ids)
  const held = await sessionsIn(before)

  const passphrase = path.join(folder, 'passphrase')
  fs.writeFileSync(passphrase, PASSPHRASE, { mode: 0o600 })
  const scripts = [
    documented.take(BACK_UP, { '…': PASSPHRASE, [EXAMPLE]: file }),
    documented.take(BACK_UP, {
      '/etc/signalbox/backup-passphrase': passphrase,
      '"/backups/signalbox-': `"${folder}/timer-`,
    }),
    documented.take(BACK_UP, {
      '/opt/signalbox': ROOT,
      'sudo -u signalbox env': 'env',
      '/var/lib/signalbox': before,
      '/etc/signalbox/backup-passphrase': passphrase,
      '/var/backups/signalbox': folder,
    }),
  ]
  for (const script of scripts) {
    const backup = await runScript(script, { SIGNALBOX_DATA_DIR: before })
    expect(backup.said).toContain(`contains 3 sessions, ${saved.length} events (encrypted`)
    expect(backup.code, backup.said).toBe(0)
  }

  // Changes between the backup and the restore: two releases, events that are acknowledged, events that never leave the agent.
  const revision = guardrails.status()?.applied?.revision ?? 0
  await admin.publish('one')
  await admin.publish('two')
  await until(() => guardrails.status()?.applied?.revision === revision + 2)
  await call(busy, 2)
  await until(areSent)
  first.kill('SIGTERM')
  await exited(first)
  for (const session of [idle, busy]) await call(session, 1)

  const env = { SIGNALBOX_BACKUP_PASSPHRASE: PASSPHRASE, SIGNALBOX_DATA_DIR: before }
  expect(await runToEnd(['scripts/restore.mjs', file], env)).toMatchObject({ code: 23 })
  const restore = documented.take(BACK_UP, {
    '/srv/signalbox-restored': after,
    [EXAMPLE]: file,
    'npm start': `exec npm start -- --no-demo --port ${port}`,
  })
  const withPassphrase = `export SIGNALBOX_BACKUP_PASSPHRASE='${PASSPHRASE}'\n${restore}`
  const { child: second, output } = await processes.startWith(withPassphrase, after)
  expect(output).toContain(`is restored: 3 sessions, ${saved.length} events.`)
  expect(await eventsIn(after, [whole.id])).toEqual(saved.filter(({ id }) => id === whole.id))

  await until(() => guardrails.status()?.applied?.revision === revision + 3)
  expect(guardrails.status()).toMatchObject({ rejected: null, applied: { source: 'server' } })
  await idle.end({ reason: 'completed' })
  await until(areSent)
  const now = await sessionsIn(after)
  const of = (sessions: readonly Stored[], { id }: GuardedSession) =>
    sessions.find((one) => one.id === id)
  expect(of(now, whole)).toEqual(of(held, whole))
  expect(of(now, whole)).toMatchObject({ verification: 'verified' })
  expect(of(now, idle)).toMatchObject({ verification: 'verified' })
  expect(of(now, idle)?.contiguous).toBe(of(now, idle)?.most)
  expect(of(now, idle)?.most).toBeGreaterThan(of(held, idle)?.most ?? 0)
  // Six events are gone, and three came after them.
  const end = of(held, busy)?.most ?? 0
  expect(of(now, busy)).toMatchObject({ contiguous: end, most: end + 9 })
  expect(await admin.read('sessions.head', { sessionId: busy.id })).toMatchObject({
    isRestored: true,
  })

  await guardrails.close()
  second.kill('SIGTERM')
  await exited(second)
}, 300_000)

const PROGRAMS = '/usr/lib/postgresql/15'
const NO_POSTGRESQL = fs.existsSync(PROGRAMS) ? '' : ' (skipped: postgresql-15 is not installed)'

it.skipIf(NO_POSTGRESQL !== '')(
  `the tools of PostgreSQL dump and restore a database as documented${NO_POSTGRESQL}`,
  async () => {
    const root = path.join(folder, 'postgres')
    const cluster = { binaries: PROGRAMS, root, account: accountFor(root), durable: true }
    fs.mkdirSync(root, { mode: 0o755 })
    initialize(cluster)
    const { pid, port, access } = await start(cluster)
    try {
      const urlFor = (database: string) => buildDatabaseUrl(access, port, database)
      await withClient(urlFor('postgres'), (client) => client.query('CREATE DATABASE signalbox'))
      const env = {
        DATABASE_URL: urlFor('signalbox'),
        SIGNALBOX_DATA_DIR: path.join(folder, 'external'),
        PGPORT: String(port),
        PGPASSWORD: access.password,
      }
      expect(await runToEnd(['scripts/migrate.mjs'], env)).toMatchObject({ code: 0 })
      const dump = path.join(folder, 'signalbox.dump')
      const restore = documented.take(BACK_UP, {
        'database.example/': `127.0.0.1:${port}/`,
        'database.example ': '127.0.0.1 ',
        '--username=postgres': `--username=${new URL(env.DATABASE_URL).username}`,
        'signalbox:…@': `signalbox:${access.password}@`,
        '/backups/signalbox.dump': dump,
      })
      for (const script of [
        documented.take(BACK_UP, { '/backups/signalbox.dump': dump }),
        restore,
      ]) {
        const { code, said } = await runScript(script, env)
        expect(code, said).toBe(0)
      }
      expect(fs.statSync(dump).mode & 0o077).toBe(0)
      const { rows } = await withClient(urlFor('signalbox_restored'), (client) =>
        client.query('SELECT backup_at FROM restores'),
      )
      expect(rows).toEqual([{ backup_at: new Date('2026-11-23T03:00:00Z') }])
    } finally {
      await stop(pid)
    }
  },
)

it.skipIf(NO_POSTGRESQL !== '')(
  `every block of the documents that names this test was run${NO_POSTGRESQL}`,
  () => {
    expect(documented.listLeft()).toEqual([])
  },
)
