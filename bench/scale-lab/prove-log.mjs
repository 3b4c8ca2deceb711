// @ts-check
// Live agents report while one process after another is killed.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import pg from 'pg'
import { processesBelow, ROOT, startProduct } from '../product.mjs'
import { startEventLog } from './event-log.mjs'
import { freePort, until } from './lab.mjs'
import { Ledger, reportSessions } from './ledger.mjs'

const AGENTS = 8
const WARM_MS = 3000
const AFTERWARDS_MS = 2000
/** Time that the database is away; events must be acknowledged meanwhile. */
const AWAY_MS = 10_000
const SERVERS = ['nats1', 'nats2', 'nats3']

/**
 * @typedef {object} Scene
 * @property {import('./lab.mjs').Lab} lab
 * @property {string} databaseUrl
 * @property {import('@nats-io/jetstream').StreamAPI} streams
 * @property {{ accept: Side, store: Side }} sides
 *
 * @typedef {object} Side
 * @property {string} url
 * @property {string} apiKey
 * @property {() => Promise<void>} kill kills its web process with -9, and starts it again
 */

/** @type {Readonly<Record<string, { title: string, strike: (scene: Scene, ledger: Ledger) => Promise<void>, isCut?: true }>>} */
export const LOG_DEATHS = {
  'log-leader': {
    title: 'kill -9 of the leader of the event log',
    async strike({ lab, streams }) {
      const leader = await findLeader(streams)
      lab.signal([leader])
      await until('another leader', 60, async () => (await findLeader(streams)) !== leader)
      lab.revive(leader)
    },
  },
  'log-all': {
    title: 'kill -9 of all servers of the event log',
    async strike({ lab, streams }) {
      lab.signal(SERVERS)
      await wait(1000)
      for (const name of SERVERS) lab.revive(name)
      await findLeader(streams)
    },
  },
  reader: {
    title: 'kill -9 of the process that stores',
    strike: ({ sides }) => sides.store.kill(),
  },
  database: {
    title: `kill -9 of PostgreSQL, away for ${AWAY_MS / 1000} s`,
    async strike({ lab }, ledger) {
      lab.signal(['postgres'])
      await wait(AWAY_MS / 2)
      const middle = performance.now()
      await wait(AWAY_MS / 2)
      if (ledger.lastAt < middle) ledger.faults.add('no acknowledgement without a database')
      lab.revive('postgres')
    },
  },
  web: {
    title: 'kill -9 of the process that accepts',
    strike: ({ sides }) => sides.accept.kill(),
    isCut: true,
  },
}

/** @param {import('@nats-io/jetstream').StreamAPI} streams */
function findLeader(streams) {
  return until('a leader of the event log', 60, () =>
    streams.info('SIGNALBOX_EVENTS_main').then(
      ({ cluster }) => cluster?.leader ?? null,
      () => null,
    ),
  )
}

/** @param {import('./lab.mjs').Lab} lab @returns {Promise<string>} */
async function startPostgres(lab) {
  const data = path.join(lab.folder, 'postgres')
  const program = (/** @type {string} */ name) => path.join(lab.postgres, name)
  const init = ['-D', data, '-U', 'signalbox', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8']
  const made = spawnSync(program('initdb'), init, { env: lab.env, ...lab.account })
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`)
  const port = await freePort()
  const listen = ['-p', `${port}`, '-k', lab.folder, '-c', 'listen_addresses=127.0.0.1']
  lab.start('postgres', program('postgres'), ['-D', data, ...listen])
  const ready = ['-h', '127.0.0.1', '-p', `${port}`]
  await until(
    'PostgreSQL',
    30,
    () => spawnSync(program('pg_isready'), ready, { env: lab.env }).status === 0,
  )
  return `postgresql://signalbox@127.0.0.1:${port}/postgres`
}

/**
 * @param {import('./lab.mjs').Lab} lab
 * @param {string} name
 * @param {Readonly<Record<string, string>>} env
 * @returns {Promise<Side & { stop: () => Promise<void> }>}
 */
async function startSide(lab, name, env) {
  const folder = path.join(lab.folder, name)
  const port = await freePort()
  const start = async () => {
    const product = await startProduct(port, folder, env)
    lab.adopt(product.pid)
    return product
  }
  let product = await start()
  return {
    url: product.url,
    apiKey: product.apiKey,
    async kill() {
      const web = processesBelow(product.pid).find(({ command }) => command.includes('serve.mjs'))
      if (web === undefined) throw new Error(`There is no web process of ${name}.`)
      process.kill(web.pid, 'SIGKILL')
      await until('the end', 30, () => !fs.existsSync(`/proc/${product.pid}`))
      product = await start()
    },
    stop: () => product.stop(),
  }
}

/**
 * @param {import('./lab.mjs').Lab} lab
 * @param {readonly string[]} names keys of LOG_DEATHS
 * @param {(outcome: LogOutcome) => void} report called after each
 */
export async function proveLogDeaths(lab, names, report) {
  const [databaseUrl, servers] = await Promise.all([startPostgres(lab), startEventLog(lab)])
  const env = {
    DATABASE_URL: databaseUrl,
    SIGNALBOX_EVENT_LOG: servers,
    // Debian 12 has NATS 2.9.
    SIGNALBOX_EVENT_LOG_UNSAFE: 'power-loss',
  }
  const connection = await connect({ servers: servers.replaceAll('nats://', '').split(',') })
  const manager = await jetstreamManager(connection, { timeout: 2000, checkAPI: false })
  const accept = await startSide(lab, 'accept', { ...env, SIGNALBOX_JOBS: 'off' })
  fs.mkdirSync(path.join(lab.folder, 'store'), { mode: 0o700 })
  const secrets = ['accept', 'store'].map((name) => path.join(lab.folder, name, 'secrets.json'))
  fs.copyFileSync(secrets[0] ?? '', secrets[1] ?? '')
  const store = await startSide(lab, 'store', env)
  const scene = { lab, databaseUrl, streams: manager.streams, sides: { accept, store } }
  try {
    for (const name of names) report(await proveLogDeath(scene, name))
  } finally {
    await connection.close()
    await Promise.allSettled([accept.stop(), store.stop()])
  }
}

/**
 * @typedef {object} LogOutcome
 * @property {string} death key of LOG_DEATHS
 * @property {number} pauseSeconds longest time without an acknowledgement after the death
 * @property {number} drainSeconds until everything was stored after the load ended
 * @property {number} acknowledged events
 * @property {number} lost events that were acknowledged and are not stored
 * @property {number} duplicates events that are stored more than once
 * @property {number} transactions that stored the events
 * @property {ReadonlyMap<string, number>} statuses
 * @property {readonly string[]} faults what must not happen
 */

/** @param {string} url @param {readonly string[]} sessions @returns {Promise<number>} */
async function countTransactions(url, sessions) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(
    'SELECT count(DISTINCT xmin::text)::int AS transactions FROM session_events WHERE session_id = ANY($1)',
    [sessions],
  )
  await client.end()
  return rows[0].transactions
}

/** @param {Scene} scene @param {string} name @returns {Promise<LogOutcome>} */
async function proveLogDeath(scene, name) {
  const death = LOG_DEATHS[name]
  if (death === undefined) throw new Error(`There is no death ${name}.`)
  const config = JSON.parse(
    fs.readFileSync(path.join(ROOT, 'examples/demo-agent/configs/release-notes.json'), 'utf8'),
  )
  const { url, apiKey } = scene.sides.accept
  const ledger = new Ledger()
  const stopping = new AbortController()
  const agents = Array.from({ length: AGENTS }, () =>
    reportSessions({ url, apiKey, config }, ledger, stopping.signal),
  )
  try {
    await wait(WARM_MS)
    ledger.startPause()
    await death.strike(scene, ledger)
    const overAt = performance.now()
    await until('an acknowledgement', 60, () => ledger.lastAt > overAt)
    await wait(AFTERWARDS_MS)
    const pauseSeconds = ledger.pauseMs / 1000
    stopping.abort()
    await Promise.all(agents)
    const endedAt = performance.now()
    await until('an empty event log', 120, () =>
      scene.streams.info('SIGNALBOX_EVENTS_main').then(
        ({ state }) => state.messages === 0,
        () => false,
      ),
    )
    const drainSeconds = (performance.now() - endedAt) / 1000
    const { lost, duplicates, unverified } = await ledger.compare(scene.databaseUrl)
    const transactions = await countTransactions(scene.databaseUrl, ledger.sessions)
    if (unverified > 0) ledger.faults.add(`${unverified} sessions are not verified`)
    const faults = [...ledger.faults].filter(
      (fault) => death.isCut !== true || !fault.startsWith('no answer'),
    )
    const { acknowledged, statuses } = ledger
    return {
      ...{ death: name, pauseSeconds, drainSeconds, acknowledged, lost, duplicates, transactions },
      ...{ statuses, faults },
    }
  } finally {
    stopping.abort()
  }
}
