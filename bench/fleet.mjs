// Many runtimes on one control plane and its restart, a tree of relays, and a hundred thousand runtimes as the requests of their relays.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { withClient } from '../scripts/installation.mjs'
import { startEmbedded } from '../server/platform/db/embedded.mjs'
import { publisher, releases, startFleet } from './distribution.mjs'
import { measureUsage, measureWeb, ROOT, readProcessorSeconds, startProduct } from './product.mjs'
import { note, perSecond, row, section } from './report.mjs'

const PORT = 3198
const RUNTIMES = Number(process.env.SIGNALBOX_BENCH_FLEET ?? 10_000)
/** A process may open 20,000 files on common machines, and each runtime has a stream of its own; other requests share these connections. */
const CONNECTIONS = 250
const CONNECTED_MS = 11_000
const ROUNDS = 3
const IDLE_SECONDS = 15
const LONGEST_RETURN_MS = 120_000
const BELOW_RELAYS = 1000
const SIMULATED = 100_000
const TOP_RELAYS = 10
const GATHER_MS = 100
const HEARTBEAT_MS = 30_000
const MOST_HEARTBEATS = 500

const count = (value) => value.toLocaleString('en')
const percent = (seconds, of) => `${((100 * seconds) / of).toFixed(0)}%`

async function watchUsage({ product, database }, ms) {
  const read = () => ({
    web: measureWeb(product).seconds,
    database: readProcessorSeconds(database.pid),
  })
  const before = read()
  await sleep(ms)
  const after = read()
  const used = (name) => percent(after[name] - before[name], ms / 1000)
  return `web ${used('web')}, database ${used('database')} of a core`
}

async function benchOnePlane(place) {
  const { product } = place
  const alone = measureWeb(product).mib
  const fleet = startFleet(product, { count: RUNTIMES, connections: CONNECTIONS })
  try {
    const began = Date.now()
    await fleet.ready
    note(
      `${count(RUNTIMES)} runtimes connected after ${((Date.now() - began) / 1000).toFixed(0)} s`,
    )
    await sleep(CONNECTED_MS)
    const { times } = await releases({ ...place.publisher, fleet, rounds: ROUNDS })
    row(`publish → applied, ${count(RUNTIMES)} runtimes on one process`, {
      times,
      unit: 'ms',
      figure: `slowest ${times.at(-1)} ms`,
    })
    const usage = await watchUsage(place, IDLE_SECONDS * 1000)
    row('while nothing is released', { figure: usage })
    const { mib } = measureWeb(product)
    row('memory of the web process', {
      figure: `${Math.round(alone)} → ${Math.round(mib)} MiB, ${(((mib - alone) * 1024) / RUNTIMES).toFixed(0)} KiB a stream`,
    })
    await benchRestart(place, fleet)
  } finally {
    await fleet.stop()
  }
}

async function benchRestart(place, fleet) {
  await place.product.stop()
  const before = await fleet.tally()
  const stopped = Date.now()
  place.product = await startProduct(PORT, place.product.folder)
  const listening = Date.now()
  const samples = [await fleet.tally()]
  while (samples.at(-1).streams < RUNTIMES && Date.now() - listening < LONGEST_RETURN_MS) {
    await sleep(1000)
    samples.push(await fleet.tally())
  }
  const opened = samples.slice(1).map((one, index) => one.opened - samples[index].opened)
  const after = samples.at(-1)
  row('restart: all streams are open again', {
    figure: `${((Date.now() - listening) / 1000).toFixed(0)} s after ${((listening - stopped) / 1000).toFixed(0)} s without`,
    bars: [{ text: 'all', met: after.streams === RUNTIMES }],
  })
  row('restart: attempts to open a stream', {
    figure: `at most ${count(Math.max(0, ...opened))} a second`,
  })
  row('restart: requests refused with 429', { figure: count(after.refused - before.refused) })
}

async function startRelay({ upstream, port, folder }) {
  const words = ['relay', '--upstream', upstream, '--data', folder, '--port', String(port)]
  const main = path.join(ROOT, 'packages/cli/dist/bin/main.js')
  const child = spawn(process.execPath, [main, ...words], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  const isThere = () =>
    fetch(`${url}/api/health`).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await isThere())) {
    if (child.exitCode !== null) throw new Error(`the relay ended with ${child.exitCode}`)
    await sleep(50)
  }
  return {
    url,
    pid: child.pid ?? 0,
    stop: async () => {
      if (child.exitCode !== null) return
      child.kill('SIGTERM')
      await new Promise((resolve) => child.once('exit', resolve))
    },
  }
}

async function benchTree(place) {
  const { product } = place
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-bench-relays-'))
  const relays = []
  const fleets = []
  const start = async (upstream, index) => {
    const own = { upstream, port: PORT + 1 + index, folder: path.join(folder, String(index)) }
    const relay = await startRelay(own)
    relays.push(relay)
    return { ...own, ...relay }
  }
  try {
    const top = await start(product.url, 0)
    const leaves = [await start(top.url, 1), await start(top.url, 2)]
    const alone = leaves.map(({ pid }) => measureUsage(pid).mib)
    for (const [index, leaf] of leaves.entries()) {
      const options = { count: BELOW_RELAYS / 2, prefix: `leaf-${index}` }
      fleets.push(startFleet({ ...product, url: leaf.url }, options))
    }
    await Promise.all(fleets.map(({ ready }) => ready))
    await sleep(CONNECTED_MS)
    const all = {
      count: BELOW_RELAYS,
      untilAll: (revision) => Promise.all(fleets.map((one) => one.untilAll(revision))),
      applied: (revision) => fleets.flatMap((one) => one.applied(revision)),
    }
    const { times } = await releases({ ...place.publisher, fleet: all, rounds: ROUNDS })
    row(`publish → applied, ${count(BELOW_RELAYS)} runtimes below relay → 2 relays`, {
      times,
      unit: 'ms',
      figure: `slowest ${times.at(-1)} ms`,
    })
    const usage = await watchUsage(place, IDLE_SECONDS * 1000)
    row('control plane while nothing is released', { figure: usage })
    const memory = leaves.map(
      ({ pid }, index) => ((measureUsage(pid).mib - alone[index]) * 2048) / BELOW_RELAYS,
    )
    row('memory of a leaf relay', { figure: `${Math.max(...memory).toFixed(0)} KiB a runtime` })
    await benchRelayRestart({ relay: leaves[0], fleet: fleets[0], relays, place })
  } finally {
    for (const fleet of fleets) await fleet.stop()
    for (const relay of relays) await relay.stop()
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

async function benchRelayRestart({ relay, fleet, relays, place }) {
  const requests = () => readRequests(place)
  await relay.stop()
  const before = await requests()
  const again = await startRelay(relay)
  relays.push(again)
  const listening = Date.now()
  while ((await fleet.tally()).streams < fleet.count) {
    if (Date.now() - listening > LONGEST_RETURN_MS) throw new Error('streams did not come back')
    await sleep(100)
  }
  row(`relay restart: ${fleet.count} streams are open again`, {
    figure: `after ${((Date.now() - listening) / 1000).toFixed(1)} s`,
  })
  row('relay restart: requests of config, keys and stream upstream', {
    figure: String((await requests()) - before),
  })
}

async function readRequests({ product }) {
  const text = await (await fetch(`${product.url}/metrics`)).text()
  const lines = text
    .split('\n')
    .filter((line) => /_count\{.*route="runtime\/(config|keys)[^"]*"/.test(line))
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

/** Adds registered runtimes, as copies of one that registered. Returns their ids. */
async function addRuntimes({ url }) {
  return await withClient(url, async (db) => {
    const { rows } = await db.query(
      `INSERT INTO runtimes (id, project_id, environment, api_key_id, name, sdk_version, harness, prompts, capabilities, posture,
         clock_skew_ms)
       SELECT 'rt_far' || lpad(n::text, 9, '0'), project_id, environment, api_key_id, 'far-' || n, sdk_version, harness, prompts, capabilities, posture,
         clock_skew_ms
       FROM (SELECT * FROM runtimes WHERE environment = 'dev' LIMIT 1) AS one, generate_series(1, ${SIMULATED}) AS n
       RETURNING id`,
    )
    await db.query('ANALYZE runtimes')
    return rows.map(({ id }) => id)
  })
}

/** Number of added runtimes whose heartbeat the server stored in the last milliseconds. */
async function countHeard({ url }, ms) {
  const { rows } = await withClient(url, (db) =>
    db.query(
      `SELECT count(*)::int AS heard FROM runtimes WHERE name LIKE 'far-%' AND last_seen_at > now() - make_interval(secs => $1)`,
      [ms / 1000],
    ),
  )
  return rows[0].heard
}

/** A relay of the top level: the requests that it sends for the runtimes below it, and no runtime. */
class SimulatedRelay {
  constructor({ product, ids, onStored }) {
    this.product = product
    this.ids = ids
    this.onStored = onStored
    this.agent = new http.Agent({ keepAlive: true })
    this.revision = 0
    this.due = []
    this.next = 0
    this.answers = []
    this.failures = 0
    this.isStopped = false
  }

  request(place, onResponse, body) {
    const request = http.request(`${this.product.url}/api/runtime/v1/${place}`, {
      method: body === undefined ? 'GET' : 'POST',
      agent: this.agent,
      headers: {
        authorization: `Bearer ${this.product.apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
    })
    request.on('response', onResponse)
    request.on('error', () => {
      if (!this.isStopped) this.failures += 1
    })
    request.end(body)
    return request
  }

  listen() {
    this.stream = this.request('config/stream', (answer) => {
      answer.on('data', (chunk) => {
        const revision = Number(/id: (\d+)/.exec(String(chunk))?.[1] ?? 0)
        if (revision <= this.revision) return
        this.revision = revision
        this.due = [...this.ids]
      })
    })
  }

  async run() {
    this.listen()
    const each = Math.round((this.ids.length * GATHER_MS) / HEARTBEAT_MS)
    while (!this.isStopped) {
      const isRelease = this.due.length > 0
      const ids = isRelease
        ? this.due.splice(0, MOST_HEARTBEATS)
        : Array.from({ length: each }, (_, n) => this.ids[(this.next + n) % this.ids.length])
      if (!isRelease) this.next = (this.next + each) % this.ids.length
      const { revision } = this
      const began = performance.now()
      const answered = this.report(ids, revision)
      if (isRelease) {
        await answered
        this.onStored(revision, ids.length, Date.now())
      } else {
        // The next ones do not wait for it: a runtime reports every 30 seconds, however long an answer takes.
        void answered.then(() => this.answers.push(performance.now() - began))
        await sleep(GATHER_MS)
      }
    }
  }

  report(ids, revision) {
    const applied = { revision, digest: `sha256:${'0'.repeat(64)}`, source: 'server' }
    const rest = { rejected: null, live_sessions: 1, spooled_events: 0 }
    const now = Date.now()
    const heartbeats = ids.map((id) => ({ runtime_id: id, now, applied, ...rest }))
    return new Promise((resolve) => {
      const done = (answer) => {
        if (answer.statusCode !== 200) this.failures += 1
        answer.resume()
        answer.on('end', resolve)
      }
      const body = JSON.stringify({ heartbeats })
      this.request('heartbeats', done, body).on('error', resolve)
    })
  }

  stop() {
    this.isStopped = true
    this.stream?.destroy()
    this.agent.destroy()
  }
}

/** Stands in for a fleet of processes, with the members that `releases` uses. */
class SimulatedTree {
  constructor({ product, ids }) {
    this.count = ids.length
    this.stored = new Map()
    const each = ids.length / TOP_RELAYS
    this.relays = Array.from(
      { length: TOP_RELAYS },
      (_, index) =>
        new SimulatedRelay({
          product,
          ids: ids.slice(index * each, (index + 1) * each),
          onStored: (revision, number, at) => {
            const list = this.stored.get(revision) ?? []
            this.stored.set(revision, list)
            for (let n = 0; n < number; n++) list.push(at)
          },
        }),
    )
    for (const relay of this.relays) void relay.run()
  }

  applied(revision) {
    return this.stored.get(revision) ?? []
  }

  async untilAll(revision) {
    for (let waited = 0; waited < LONGEST_RETURN_MS; waited += 20) {
      if (this.applied(revision).length >= this.count) return
      await sleep(20)
    }
  }

  /** Each relay has its stream, and every runtime has reported the revision that it announced. */
  async untilReported() {
    while (this.relays.some(({ revision, due }) => revision === 0 || due.length > 0))
      await sleep(20)
  }

  stop() {
    for (const relay of this.relays) relay.stop()
  }
}

async function benchSimulated(place) {
  const { product } = place
  const ids = await addRuntimes(place.database)
  const tree = new SimulatedTree({ product, ids })
  try {
    await tree.untilReported()
    for (const relay of tree.relays) relay.answers.length = 0
    const usage = await watchUsage(place, IDLE_SECONDS * 1000)
    const heard = await countHeard(place.database, IDLE_SECONDS * 1000)
    const answers = tree.relays.flatMap((relay) => relay.answers).sort((a, b) => a - b)
    row(`${count(SIMULATED)} runtimes, ${TOP_RELAYS} relays simulated: answers`, {
      times: answers,
      unit: 'ms',
      figure: usage,
    })
    row(`heartbeats stored, of ${count((SIMULATED * 1000) / HEARTBEAT_MS)}/s`, {
      figure: perSecond(heard, IDLE_SECONDS, 'heartbeats'),
    })
    const { times } = await releases({ ...place.publisher, fleet: tree, rounds: ROUNDS })
    row('publish → report stored, without the way through the tree', {
      times,
      unit: 'ms',
      figure: `slowest ${times.at(-1)} ms`,
    })
    const failures = tree.relays.reduce((sum, relay) => sum + relay.failures, 0)
    row('requests of relays that failed', {
      figure: String(failures),
      bars: [{ text: 'none', met: failures === 0 }],
    })
  } finally {
    tree.stop()
  }
}

async function findPlace(product) {
  const database = await startEmbedded({ dataDir: product.folder })
  return { product, database, publisher: await publisher(product) }
}

export async function run() {
  section(
    `Fleet: ${count(RUNTIMES)} runtimes on one control plane, and relays; everything on this machine`,
  )
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-bench-fleet-'))
  const place = await findPlace(await startProduct(PORT, folder))
  try {
    await benchOnePlane(place)
    place.database = await startEmbedded({ dataDir: folder })
    await benchTree(place)
    await benchSimulated(place)
  } finally {
    await place.product.stop()
    fs.rmSync(folder, { recursive: true, force: true })
  }
}
