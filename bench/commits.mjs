// The cost of notifications and of shared counts. The standby is a copy of the embedded database on this machine.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { accountFor } from '../server/platform/db/embedded/account.mjs'
import { binariesFor, systemStateDir } from '../server/platform/db/embedded/binaries.mjs'
import { start, stop } from '../server/platform/db/embedded/cluster.mjs'
import { embeddedFolder, startEmbedded } from '../server/platform/db/embedded.mjs'
import { migrate } from '../server/platform/db/migrate.mjs'
import { ROOT } from './product.mjs'
import { note, perSecond, row, section } from './report.mjs'

const WRITERS = 16
/** Rounds take turns, so that other load of the machine meets all kinds alike. */
const ROUNDS = 3
const SECONDS = 3
const BAR = 0.9
/** The server sends the notifications of this time together (server/platform/live/live-bus.ts). */
const GATHER_MS = 20
/** The statement of server/platform/live/notifications.sql.ts, whose commit waits for nothing. */
const NOTIFY_ALONE = `WITH hurried AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
  SELECT pg_notify('signalbox', payload) FROM hurried, unnest($1::text[]) AS payload`

const WRITE = "INSERT INTO written (text) VALUES ('x')"
const COUNTS = 'calls, denied, feedback, warnings, stops, blocked, bypassed, sessions'
const ADD = 'calls = t.calls + excluded.calls'

const KINDS = {
  silent: { name: 'no notification', statements: [WRITE] },
  after: { name: 'notified after the commit', statements: [WRITE], isNotified: true },
  within: {
    name: 'notified in the transaction',
    statements: [WRITE, "SELECT pg_notify('signalbox', random()::text)"],
  },
  shards: {
    name: 'counted in the shard of the connection',
    statements: [
      WRITE,
      `INSERT INTO minute_count_shards AS t (project_id, environment, minute, shard, ${COUNTS})
       VALUES ('p', 'dev', date_trunc('minute', now()), pg_backend_pid() % 8, 1, 0, 0, 0, 0, 0, 0, 0)
       ON CONFLICT (project_id, environment, minute, shard) DO UPDATE SET ${ADD}`,
    ],
  },
  shared: {
    name: 'counted in one row',
    statements: [
      WRITE,
      `INSERT INTO minute_counts AS t (project_id, environment, minute, ${COUNTS})
       VALUES ('p', 'dev', date_trunc('minute', now()), 1, 0, 0, 0, 0, 0, 0, 0)
       ON CONFLICT (project_id, environment, minute) DO UPDATE SET ${ADD}`,
    ],
  },
}

async function connect(url) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}

/** Copies the running server's data between the start and the end of a backup, and starts the copy as its standby. Returns its pid. */
async function startStandby(primary, { sql, root, copy }) {
  const data = path.join(copy, 'pg18')
  await sql.query("SELECT pg_backup_start('standby', true)")
  const copied = spawnSync('cp', ['-a', root, copy], { encoding: 'utf8' })
  if (copied.status !== 0) throw new Error(`The data could not be copied: ${copied.stderr}`)
  const { rows } = await sql.query('SELECT labelfile FROM pg_backup_stop(false)')
  fs.rmSync(path.join(data, 'postmaster.pid'))
  fs.writeFileSync(path.join(data, 'backup_label'), rows[0].labelfile)
  fs.writeFileSync(path.join(data, 'standby.signal'), '')
  const { hostname, port, username, password } = new URL(primary.url)
  fs.appendFileSync(
    path.join(data, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=${hostname} port=${port} user=${username} password=${password}'\n`,
  )
  const account = accountFor(path.join(root, 'pg18'))
  if (account !== null)
    for (const file of ['backup_label', 'standby.signal'])
      fs.chownSync(path.join(data, file), account.uid, account.gid)
  const binaries = binariesFor(account, systemStateDir())
  const { pid } = await start({ binaries, root: copy, account, durable: true })
  return pid
}

async function waitForStandby(sql) {
  await sql.query("ALTER SYSTEM SET synchronous_standby_names = '*'")
  await sql.query('SELECT pg_reload_conf()')
  for (let attempt = 0; attempt < 100; attempt++) {
    const { rows } = await sql.query('SELECT sync_state FROM pg_stat_replication')
    if (rows[0]?.sync_state === 'sync') return
    await sleep(100)
  }
  throw new Error('The standby did not become synchronous within 10 s.')
}

/** Returns ms of each commit. */
async function commitFor(writers, notifier, { statements, isNotified = false }) {
  const text = ['BEGIN', ...statements, 'COMMIT'].join('; ')
  const until = performance.now() + SECONDS * 1000
  const times = []
  let waiting = []
  const write = async (client) => {
    while (performance.now() < until) {
      const begun = performance.now()
      await client.query(text)
      times.push(performance.now() - begun)
      if (isNotified) waiting.push(String(begun))
    }
  }
  const notify = async () => {
    while (performance.now() < until) {
      await sleep(GATHER_MS)
      const payloads = waiting
      waiting = []
      if (payloads.length > 0) await notifier.query(NOTIFY_ALONE, [payloads])
    }
  }
  await Promise.all([...writers.map(write), notify()])
  return times
}

async function measure(url) {
  const [notifier, listener, ...writers] = await Promise.all(
    Array.from({ length: WRITERS + 2 }, () => connect(url)),
  )
  try {
    await notifier.query(
      'CREATE TABLE written (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text TEXT)',
    )
    await listener.query('LISTEN signalbox')
    const times = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, []]))
    for (let round = 0; round < ROUNDS; round++)
      for (const [kind, what] of Object.entries(KINDS))
        times[kind].push(...(await commitFor(writers, notifier, what)))
    return times
  } finally {
    await Promise.all([notifier, listener, ...writers].map((client) => client.end()))
  }
}

function print(times) {
  const ratio = (kind, other) => times[kind].length / times[other].length
  for (const [kind, { name }] of Object.entries(KINDS)) {
    times[kind].sort((a, b) => a - b)
    const bars =
      kind === 'after'
        ? [{ text: `≥ ${BAR} × no notification`, met: ratio('after', 'silent') >= BAR }]
        : []
    row(name, {
      times: times[kind],
      unit: 'ms',
      figure: perSecond(times[kind].length, ROUNDS * SECONDS, 'commits'),
      bars,
    })
  }
  const share = (kind) => ratio(kind, 'silent').toFixed(2)
  note(
    `of the commits without notification: ${share('after')} notified after, ${share('within')} within, ${share('shards')} with shards, ${share('shared')} with one row`,
  )
}

export async function run() {
  section(`Commits of ${WRITERS} connections with a synchronous standby on this machine`)
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-bench-'))
  const primary = await startEmbedded({ dataDir })
  const root = embeddedFolder(dataDir)
  const copy = `${root}-standby`
  const sql = await connect(primary.url)
  let standby
  try {
    await migrate({ url: primary.url, folder: path.join(ROOT, 'prisma/migrations') })
    standby = await startStandby(primary, { sql, root, copy })
    await waitForStandby(sql)
    print(await measure(primary.url))
  } finally {
    await sql.end()
    await primary.stop()
    if (standby !== undefined) await stop(standby)
    for (const folder of [dataDir, root, copy]) fs.rmSync(folder, { recursive: true, force: true })
  }
}
