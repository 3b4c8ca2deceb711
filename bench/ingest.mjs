// Real sessions, gzip NDJSON batches over HTTP, in four kinds of traffic. Database, server and load generator share this machine.
//   SIGNALBOX_BENCH_INGEST_SECONDS=20   duration of each kind (8)
//   SIGNALBOX_BENCH_INGEST_RATE=1500    events/s at which acknowledgements are timed, to compare two trees (70 % of the saturated rate)
//   SIGNALBOX_WEB_PROCESSES=2           number of web processes (1)
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import pg from 'pg'
import { startEmbedded } from '../server/platform/db/embedded.mjs'
import { measureWeb, ROOT, readProcessorSeconds, signedIn, startProduct } from './product.mjs'
import { openConnection, PIECE, recordSession, sendEvents, toPieces } from './recorded-session.mjs'
import { note, percentile, perSecond, row, section } from './report.mjs'

const PORT = 3198
const SECONDS = Number(process.env.SIGNALBOX_BENCH_INGEST_SECONDS ?? 8)
const SESSIONS = 1200
const AGENTS = 64
const ENVIRONMENTS = ['dev', 'staging', 'production', 'canary']
/** Share of the saturated rate at which acknowledgements are timed. */
const USUAL = 0.7
const CONNECTIONS = { together: 16, each: 250 }

export const packed = (lines) => ({
  body: gzipSync(`${lines.join('\n')}\n`, { level: 1 }),
  events: lines.length,
})

/** Returns for each agent what it sends, one after the other; an agent reports its sessions in order. */
export function shareOut(batches, agents) {
  const shares = Array.from({ length: agents }, () => [])
  for (const [index, batch] of batches.entries()) shares[index % agents]?.push(batch)
  return shares
}

/**
 * Kinds of traffic in large batches. `toLists` returns what each connection sends, in order.
 * @type {readonly { name: string, toLists: (sessions: readonly (readonly string[])[]) => any[][] }[]}
 */
const BIG = [
  {
    name: 'merged: 20 events of each of 20 sessions',
    toLists: (sessions) => {
      const batches = []
      for (let at = 0; at + 20 <= sessions.length; at += 20) {
        const group = sessions.slice(at, at + 20).map(toPieces)
        for (let i = 0; i < (group[0]?.length ?? 0); i++)
          batches.push(packed(group.flatMap((pieces) => pieces[i] ?? [])))
      }
      return shareOut(batches, 8)
    },
  },
  {
    name: 'one whole session, 187 events',
    toLists: (sessions) => shareOut(sessions.map(packed), 8),
  },
  {
    name: 'four whole sessions, 748 events',
    toLists: (sessions) => {
      const batches = []
      for (let at = 0; at + 4 <= sessions.length; at += 4)
        batches.push(packed(sessions.slice(at, at + 4).flat()))
      return shareOut(batches, 8)
    },
  },
]

class Meter {
  #product
  #database
  #sql

  constructor({ product, database, sql }) {
    this.#product = product
    this.#database = database
    this.#sql = sql
  }

  async read() {
    const answer = await this.#sql.query(
      "SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 AS wal",
    )
    const web = measureWeb(this.#product)
    const processor = process.cpuUsage()
    return {
      at: performance.now(),
      web: web?.seconds ?? 0,
      primary: web?.primarySeconds ?? 0,
      sender: (processor.user + processor.system) / 1e6,
      database: readProcessorSeconds(this.#database),
      wal: answer.rows[0].wal,
    }
  }

  async report(name, before, { stored, times, what = 'event' }) {
    const after = await this.read()
    const each = (stage) => `${(((after[stage] - before[stage]) * 1e6) / stored).toFixed(0)} µs`
    const primary = after.primary > 0 ? ` (${each('primary')} in the primary process)` : ''
    const costs = [
      `web ${each('web')}${primary}`,
      `database ${each('database')}`,
      `sender ${each('sender')}`,
      `WAL ${((after.wal - before.wal) / stored).toFixed(0)} B`,
    ].join(', ')
    times.sort((a, b) => a - b)
    row(name, {
      times,
      unit: 'ms',
      figure: perSecond(stored, (after.at - before.at) / 1000, `${what}s`),
    })
    note(`  cost of one ${what}: ${costs}`)
    return stored / ((after.at - before.at) / 1000)
  }
}

export async function saturate(lists, send) {
  const times = []
  let stored = 0
  const until = performance.now() + SECONDS * 1000
  await Promise.all(
    lists.map(async (list, connection) => {
      while (performance.now() < until) {
        const batch = list[0]
        if (batch === undefined) return
        const started = performance.now()
        const added = await send(connection, batch.body)
        // Refused for now, so it is sent again after the time that the answer names.
        if (added === 0) await sleep(1000)
        if (added === 0) continue
        list.shift()
        stored += added
        times.push(performance.now() - started)
      }
    }),
  )
  return { stored, times }
}

/** The time of an answer counts from when its batch was due. A connection that is still busy lets its next batch wait. */
async function keepRate(lists, rate, send) {
  const times = []
  let stored = 0
  let turn = 0
  const started = performance.now()
  const all = []
  const last = lists.map(() => Promise.resolve())
  for (let sent = 0; sent < rate * SECONDS; sent++) {
    const due = started + (sent * 1000) / rate
    const wait = due - performance.now()
    if (wait > 1) await sleep(wait)
    const connection = turn++ % lists.length
    const batch = lists[connection]?.shift()
    if (batch === undefined) continue
    last[connection] = last[connection].then(async () => {
      let added = 0
      while (added === 0) {
        added = await send(connection, batch.body)
        if (added === 0) await sleep(1000)
      }
      stored += added
      times.push(performance.now() - due)
    })
    all.push(last[connection])
  }
  await Promise.all(all)
  return { stored, times }
}

async function createSenders(product) {
  const admin = await signedIn(product)
  const known = new Set((await admin.ask('environments.list')).map(({ name }) => name))
  const keys = []
  for (const name of ENVIRONMENTS) {
    if (!known.has(name))
      await admin.tell('environments.create', {
        name,
        requiresNote: false,
        requiresTypedName: false,
        requiredApprovals: 0,
        rollbackSkipsApproval: false,
        requiresBacktest: false,
      })
    const made = await admin.tell('keys.create', {
      name: `bench ${name}`,
      environment: name,
      scopes: ['ingest'],
    })
    keys.push(made.secret)
  }
  return keys
}

async function measureLive(meter, { url, keys, sessions }) {
  const lists = shareOut(sessions, AGENTS).map((own) => own.flatMap(toPieces).map(packed))
  const connections = lists.map(() => openConnection(url))
  const send = (connection, body) => connections[connection](body, keys[connection % keys.length])
  const one = lists.pop()
  const before = await meter.read()
  await meter.report('one agent alone, 20 events a request', before, await saturate([one], send))
  const saturated = await meter.read()
  const full = await saturate(lists, send)
  const rate = await meter.report('live agents, 20 events a request, saturated', saturated, full)
  const usual = await meter.read()
  const kept = Number(process.env.SIGNALBOX_BENCH_INGEST_RATE ?? rate * USUAL)
  const calm = await keepRate(lists, kept / PIECE, send)
  await meter.report(`live agents at ${perSecond(kept, 1, 'events')}`, usual, calm)
  note(`  acknowledged: p99 ${percentile(calm.times, 0.99).toFixed(0)} ms from when it was due`)
}

/** Each on a connection of its own, as a hook that is a command: with several web processes, the primary process hands over every connection. */
async function measureConnections(meter, url) {
  const agent = new http.Agent({ keepAlive: false })
  const askOnce = () =>
    new Promise((resolve, reject) => {
      http
        .get(`${url}/livez`, { agent }, (answer) => answer.resume().once('end', resolve))
        .once('error', reject)
    })
  const times = []
  const before = await meter.read()
  await Promise.all(
    Array.from({ length: CONNECTIONS.together }, async () => {
      for (let i = 0; i < CONNECTIONS.each; i++) {
        const started = performance.now()
        await askOnce()
        times.push(performance.now() - started)
      }
    }),
  )
  const sent = { stored: times.length, times, what: 'request' }
  await meter.report('requests without work, each on a new connection', before, sent)
}

async function profileStages(folder, keys) {
  const program = path.join(import.meta.dirname, 'ingest-stages.mjs')
  // The server has the same flag.
  const args = ['--max-semi-space-size=64', program, folder, ...keys]
  const child = spawn(process.execPath, args, { stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`the profile ended with ${code}`)
}

export async function run() {
  section(
    `Ingest over HTTP, ${SECONDS} s each: validated, stored, projected, recomputed; everything on this machine`,
  )
  const product = await startProduct(PORT)
  const database = await startEmbedded({ dataDir: product.folder })
  const sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
  try {
    const { apiKey, url } = product
    const config = JSON.parse(
      fs.readFileSync(path.join(ROOT, 'examples/demo-agent/configs/release-notes.json'), 'utf8'),
    )
    const record = (count) =>
      Promise.all(Array.from({ length: count }, () => recordSession(config)))
    const meter = new Meter({ product, database: database.pid, sql })
    for (const session of await record(20)) await sendEvents(url, packed(session).body, apiKey)
    const keys = await createSenders(product)
    await measureLive(meter, { url, keys, sessions: await record(SESSIONS) })
    for (const { name, toLists } of BIG) {
      const lists = toLists(await record(SESSIONS))
      const before = await meter.read()
      const connections = lists.map(() => openConnection(url))
      const sent = await saturate(lists, (one, body) => connections[one](body, apiKey))
      await meter.report(name, before, sent)
    }
    await measureConnections(meter, url)
    await profileStages(product.folder, keys)
  } finally {
    await sql.end()
    await product.stop()
  }
}
