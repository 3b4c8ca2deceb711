// @ts-check
// npm run scale-lab
//   -- up [--ttl 6]                      starts the lab in the foreground, until Ctrl+C or `down`
//   -- status | kill <what> | mend | down
//   -- prove [--only primary,etcd] [--ttl 6]   the product at a large site, struck by each death under load
//   -- chaos [--minutes 60] [--seed 1]         the same, struck by all deaths in turn; also npm run chaos
//   -- prove-log                               the product with an event log, everything in turn killed under load
import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { prepare } from '../../scripts/build-steps.mjs'
import { describeError } from '../../server/platform/base/failure.mjs'
import { DEATHS } from './deaths.mjs'
import { startEventLog } from './event-log.mjs'
import { startHaDatabase } from './ha-database.mjs'
import { openLab } from './lab.mjs'
import { startPooler } from './pooler.mjs'

const USAGE = `Usage: npm run scale-lab -- <command>

Commands:
  up            Start database, PgBouncer and NATS, and keep them until Ctrl+C
  status        Show what runs, and where
  kill <what>   Strike the database with a death, or kill a program of "status"
  mend          Start again what was killed
  down          Stop the lab
  prove         Run the product on a lab of its own, and strike it
  chaos         The same by all deaths in turn, in an order that a seed repeats
  prove-log     Run it with an event log, and kill in turn all that an event passes

Options:
  --ttl <seconds>      Time until a silent primary is replaced (default: 6)
  --only <deaths>      Deaths to prove, separated by commas (default: all)
  --minutes <minutes>  Time of the chaos (default: 60)
  --seed <number>      Seed of the chaos (default: 1)

Deaths:
${Object.entries(DEATHS)
  .map(([name, { title }]) => `  ${name.padEnd(12)}  ${title}`)
  .join('\n')}
`

/** One lab a user. */
const FOLDER = path.join(os.tmpdir(), `signalbox-scale-lab-${os.userInfo().uid}`)
const SOCKET = path.join(FOLDER, 'control.sock')

/** @param {string} text */
const print = (text) => process.stdout.write(`${text}\n`)

/** @param {number} ttl */
async function up(ttl) {
  if ((await tell('status').catch(() => null)) !== null) throw new Error('The lab runs already.')
  const lab = await openLab(FOLDER)
  const started = Date.now()
  const database = await startHaDatabase(lab, { ttl })
  const pooler = await startPooler(lab, database.url)
  const eventLog = await startEventLog(lab)
  /** @type {(() => void)[]} */
  const mends = []
  /** @type {Readonly<Record<string, (what: string) => Promise<object>>>} */
  const commands = {
    status: async () => ({
      database: database.url,
      standbys: database.standbyUrl,
      pooler,
      nats: eventLog,
      folder: lab.folder,
      primary: await database.primary(),
      etcdLeader: await database.etcdLeader(),
      programs: Object.fromEntries(lab.names.map((name) => [name, lab.pidsOf(name)[0] ?? 'ended'])),
    }),
    async kill(what) {
      const death = DEATHS[what]
      if (death !== undefined) {
        mends.push((await death.strike(database)).mend)
        return { struck: death.title }
      }
      if (!lab.names.includes(what)) throw new Error(`There is no death and no program ${what}.`)
      lab.signal([what])
      mends.push(() => lab.revive(what))
      return { killed: what }
    },
    async mend() {
      for (const mend of mends.splice(0)) mend()
      await database.whole()
      return { primary: await database.primary() }
    },
    async down() {
      setImmediate(() => process.exit(0))
      return {}
    },
  }
  http
    .createServer(async (request, response) => {
      const [, command = '', what = ''] = request.url?.split('/') ?? []
      const answer = await commands[command]?.(what).catch((/** @type {unknown} */ error) => ({
        error: describeError(error),
      }))
      response.end(JSON.stringify(answer ?? { error: `There is no command ${command}.` }))
    })
    .listen(SOCKET)
  print(
    `The lab is ready after ${((Date.now() - started) / 1000).toFixed(0)} s: npm run scale-lab -- status`,
  )
}

/** Resolves with the answer of the lab that runs. @param {string} command @returns {Promise<any>} */
function tell(command) {
  return new Promise((resolve, reject) => {
    http
      .get({ socketPath: SOCKET, path: `/${command}` }, async (answer) => {
        let text = ''
        for await (const chunk of answer.setEncoding('utf8')) text += chunk
        resolve(JSON.parse(text))
      })
      .once('error', () =>
        reject(new Error('No lab runs. Start one with "npm run scale-lab -- up".')),
      )
  })
}

/** @param {string} command */
async function ask(command) {
  const answer = await tell(command)
  if (answer.error !== undefined) throw new Error(answer.error)
  print(JSON.stringify(answer, null, 2))
}

/**
 * Starts a site in a folder of its own. The folder is kept when `work` resolves with false.
 * @param {number} ttl
 * @param {(site: import('./site.mjs').Site) => Promise<boolean>} work
 */
async function onSite(ttl, work) {
  await prepare({ web: true })
  // Imported late, because it needs the packages that were built above.
  const { startSite } = await import('./site.mjs')
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-scale-lab-'))
  const lab = await openLab(folder)
  print(`ttl ${ttl} s, ${folder}`)
  const isRight = await work(await startSite(await startHaDatabase(lab, { ttl })))
  lab.end()
  if (isRight) fs.rmSync(folder, { recursive: true, force: true })
  return isRight
}

/** @param {readonly string[]} names @param {number} ttl */
async function prove(names, ttl) {
  return await onSite(ttl, async (site) => {
    const { formatStatuses, isProven, proveDeaths } = await import('./prove.mjs')
    let isRight = true
    const strikes = names.map((name) => ({ name, calmSeconds: 3 }))
    await proveDeaths(site, strikes, (outcome) => {
      const { death, pauseSeconds, acknowledged, lost, duplicates } = outcome
      print(
        [
          DEATHS[death]?.title,
          `  no acknowledgement for ${pauseSeconds.toFixed(1)} s; ${acknowledged} events acknowledged, ${lost} lost, ${duplicates} stored twice`,
          `  runtimes: ${formatStatuses(outcome.statuses)}, slowest answer ${outcome.slowestSeconds.toFixed(1)} s; user: ${formatStatuses(outcome.pages)}`,
          `  a notification after ${outcome.notifiedSeconds.toFixed(1)} s, a new job after ${outcome.jobSeconds.toFixed(1)} s`,
          ...outcome.faults.map((fault) => `  FAULT ${fault}`),
        ].join('\n'),
      )
      isRight &&= isProven(outcome)
    })
    return isRight
  })
}

/** @param {{ ttl: number, minutes: number, seed: number }} options */
async function chaos({ ttl, minutes, seed }) {
  print(`seed ${seed}`)
  return await onSite(ttl, async (site) => {
    const { runChaos } = await import('./chaos.mjs')
    return await runChaos(site, { minutes, seed, print })
  })
}

async function proveLog() {
  await prepare({ web: true })
  // Imported late, because it needs the packages that were built above.
  const { LOG_DEATHS, proveLogDeaths } = await import('./prove-log.mjs')
  const { formatStatuses, isProven } = await import('./prove.mjs')
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-scale-lab-'))
  const lab = await openLab(folder)
  let isRight = true
  print(folder)
  await proveLogDeaths(lab, Object.keys(LOG_DEATHS), (outcome) => {
    const { death, pauseSeconds, acknowledged, lost, duplicates } = outcome
    print(
      [
        LOG_DEATHS[death]?.title,
        `  no acknowledgement for ${pauseSeconds.toFixed(1)} s; ${acknowledged} events acknowledged, ${lost} lost, ${duplicates} stored twice`,
        `  runtimes: ${formatStatuses(outcome.statuses)}; all stored ${outcome.drainSeconds.toFixed(1)} s after the load, in ${outcome.transactions} transactions`,
        ...outcome.faults.map((fault) => `  FAULT ${fault}`),
      ].join('\n'),
    )
    isRight &&= isProven(outcome)
  })
  lab.end()
  if (isRight) fs.rmSync(folder, { recursive: true, force: true })
  return isRight
}

async function main() {
  const { values, positionals } = parseArgs({
    options: {
      ttl: { type: 'string', default: '6' },
      only: { type: 'string' },
      minutes: { type: 'string', default: '60' },
      seed: { type: 'string', default: '1' },
    },
    allowPositionals: true,
  })
  const [command = '', what = ''] = positionals
  const ttl = Number(values.ttl)
  const minutes = Number(values.minutes)
  const seed = Number(values.seed)
  const names = values.only?.split(',') ?? Object.keys(DEATHS)
  const isKnown = names.every((name) => DEATHS[name] !== undefined)
  const isRight = Number.isInteger(ttl) && ttl >= 6 && minutes > 0 && Number.isInteger(seed)
  if (!isRight || !isKnown) return usage()
  switch (command) {
    case 'up':
      return await up(ttl)
    case 'prove':
      // The lab's programs keep this process running.
      return process.exit((await prove(names, ttl)) ? 0 : 1)
    case 'chaos':
      return process.exit((await chaos({ ttl, minutes, seed })) ? 0 : 1)
    case 'prove-log':
      return process.exit((await proveLog()) ? 0 : 1)
    case 'kill':
      return await ask(`kill/${what}`)
    case 'status':
    case 'mend':
    case 'down':
      return await ask(command)
    default:
      return usage()
  }
}

function usage() {
  process.stderr.write(USAGE)
  process.exitCode = 2
}

try {
  await main()
} catch (error) {
  process.stderr.write(`${describeError(error)}\n`)
  process.exit(1)
}
