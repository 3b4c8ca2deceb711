// @ts-check
// HAProxy in front of two replicas (deploy/haproxy.cfg), which reach the HA database through PgBouncer, and its standbys for Analytics.
import fs from 'node:fs'
import path from 'node:path'
import { processesBelow, ROOT, signedIn } from '../product.mjs'
import { askJson, fillIn, freePort, until } from './lab.mjs'
import { startPooler } from './pooler.mjs'

const REPLICAS = ['replica-a', 'replica-b']
const SETUP_TOKEN = 'set-up token of the lab'
const AGENTS = 9
/** Time for the first answer of a replica whose build is there. */
const START_SECONDS = 120
/** Characters of a log that an error shows. */
const LOG_SHOWN = 2000

/** @typedef {Awaited<ReturnType<typeof signedIn>>} Admin */

/**
 * @typedef {object} Site
 * @property {import('./ha-database.mjs').HaDatabase} database
 * @property {string} url of the balancer
 * @property {Admin} admin signed in
 * @property {readonly string[]} apiKeys one for each agent
 * @property {() => Promise<void>} whole resolves when nothing is missing
 * @property {() => readonly number[]} webPids of the replicas
 */

/**
 * Starts two replicas, one after the other, because the first one migrates.
 * @param {import('./ha-database.mjs').HaDatabase} database
 * @returns {Promise<Site>}
 */
export async function startSite(database) {
  const { lab } = database
  const balancer = await freePort()
  const url = `http://127.0.0.1:${balancer}`
  const ports = await Promise.all(REPLICAS.map(() => freePort()))
  const env = {
    ...process.env,
    DATABASE_URL: await startPooler(lab, database.url),
    DATABASE_DIRECT_URL: database.url,
    DATABASE_READ_URL: database.standbyUrl,
    SIGNALBOX_SECRET: 'the one secret that the replicas share',
    SIGNALBOX_SETUP_TOKEN: SETUP_TOKEN,
    SIGNALBOX_URL: url,
    SIGNALBOX_PROXIES: '1',
  }
  const isReady = (/** @type {number} */ port) =>
    askJson(`http://127.0.0.1:${port}/readyz`).then((answer) => answer !== null)
  for (const [index, name] of REPLICAS.entries()) {
    const port = ports[index] ?? 0
    const start = path.join(ROOT, 'scripts/start.mjs')
    lab.startCommand(name, {
      program: process.execPath,
      args: [start, '--no-demo', '--port', String(port)],
      env: { ...env, SIGNALBOX_DATA_DIR: path.join(lab.folder, name) },
      account: null,
    })
    const answers = () => {
      // A start that failed says why in one sentence.
      if (lab.pidsOf(name).length === 0) throw new Error(`${name} ended: ${lab.readLog(name)}`)
      return isReady(port)
    }
    const what = () => `${name}, which says ${lab.readLog(name).slice(-LOG_SHOWN)}`
    await until(what, START_SECONDS, answers)
  }
  const config = path.join(lab.folder, 'balancer.cfg')
  fs.writeFileSync(
    config,
    fillIn('haproxy.cfg', [
      // Twice as many files may be open, which not every account may.
      ['maxconn 20000', 'maxconn 1000'],
      ['bind :80', `bind 127.0.0.1:${balancer}`],
      ['  bind :443 ssl crt /etc/haproxy/signalbox.pem alpn h2,http/1.1\n', ''],
      ['  http-request redirect scheme https unless { ssl_fc }\n', ''],
      ['X-Forwarded-Proto https', 'X-Forwarded-Proto http'],
      ...ports.map(
        (port, index) => /** @type {const} */ ([`10.0.0.1${index + 1}:3000`, `127.0.0.1:${port}`]),
      ),
    ]),
  )
  lab.start('balancer', 'haproxy', ['-db', '-f', config])
  await until('the balancer', 30, () => askJson(`${url}/readyz`))
  const admin = await signedIn({ url, setupToken: SETUP_TOKEN })
  const apiKeys = await createKeys(admin)
  return {
    database,
    url,
    admin,
    apiKeys,
    async whole() {
      await database.whole()
      await until('both replicas', START_SECONDS, async () =>
        (await Promise.all(ports.map(isReady))).every(Boolean),
      )
    },
    webPids: () =>
      REPLICAS.flatMap((name) => lab.pidsOf(name).slice(0, 1))
        .flatMap((pid) => processesBelow(pid))
        .filter(({ command }) => command.includes('serve.mjs'))
        .map(({ pid }) => pid),
  }
}

/** Returns one key for each agent, so that the balancer spreads them. @param {Admin} admin */
async function createKeys(admin) {
  const keys = []
  for (let agent = 1; agent <= AGENTS; agent++) {
    const name = `agent ${agent}`
    const scopes = ['ingest', 'read']
    const made = await admin.tell('keys.create', { name, environment: 'dev', scopes })
    keys.push(made.secret)
  }
  return keys
}
