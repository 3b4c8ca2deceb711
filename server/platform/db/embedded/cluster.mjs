// @ts-check
import { spawn, spawnSync } from 'node:child_process'
import crypto from 'node:crypto'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Failure, isDiskFull } from '../../base/failure.mjs'
import { isAlive } from '../../base/process-alive.mjs'

const USER = 'signalbox'
const START_ATTEMPTS = 10
const READY_WITHIN_MS = 60_000
const STOP_WITHIN_MS = 15_000

/**
 * @typedef {object} Cluster
 * @property {string} binaries folder with bin/
 * @property {string} root folder of this cluster: pg18/, access.json, postgres.log
 * @property {import('./account.mjs').Account | null} account
 * @property {boolean} durable false only in tests: no fsync, and cheap logins, of which tests make hundreds
 */

/** @param {Cluster} cluster */
const resolveDataPath = (cluster) => path.join(cluster.root, 'pg18')
/** @param {Cluster} cluster */
const resolveLogPath = (cluster) => path.join(cluster.root, 'postgres.log')
/** @param {Cluster} cluster @param {string} program */
const resolveProgram = (cluster, program) =>
  path.join(cluster.binaries, 'bin', process.platform === 'win32' ? `${program}.exe` : program)

/** Password and port are stored beside the data, readable only by this account. @param {Cluster} cluster */
function readAccess(cluster) {
  const file = path.join(cluster.root, 'access.json')
  if (fs.existsSync(file)) return JSON.parse(fs.readFileSync(file, 'utf8'))
  return { password: crypto.randomBytes(24).toString('base64url'), port: 0 }
}

/** @param {Cluster} cluster @param {{ password: string, port: number }} access */
function saveAccess(cluster, access) {
  const file = path.join(cluster.root, 'access.json')
  fs.writeFileSync(`${file}.new`, JSON.stringify(access), { mode: 0o600 })
  fs.renameSync(`${file}.new`, file)
}

/** @param {{ password: string }} access @param {number} port @param {string} database */
export function buildDatabaseUrl(access, port, database) {
  return `postgresql://${USER}:${access.password}@127.0.0.1:${port}/${database}`
}

/** Creates the cluster under another name first, so that an incomplete one is never used. @param {Cluster} cluster */
export function initialize(cluster) {
  const data = resolveDataPath(cluster)
  if (fs.existsSync(path.join(data, 'PG_VERSION'))) return
  if (fs.existsSync(data) && fs.readdirSync(data).length > 0)
    throw brokenFolder(data, 'it has no PG_VERSION')
  const fresh = `${data}.init`
  fs.rmSync(fresh, { recursive: true, force: true })
  fs.rmSync(data, { recursive: true, force: true })
  fs.mkdirSync(fresh, { recursive: true, mode: 0o700 })
  const access = readAccess(cluster)
  saveAccess(cluster, access)
  const passwordFile = path.join(fresh, '..', 'initial-password')
  fs.writeFileSync(passwordFile, access.password, { mode: 0o600 })
  if (cluster.account !== null) {
    fs.chownSync(fresh, cluster.account.uid, cluster.account.gid)
    fs.chownSync(passwordFile, cluster.account.uid, cluster.account.gid)
  }
  const args = [
    '-D',
    fresh,
    '-U',
    USER,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
  ]
  if (!cluster.durable) args.push('--no-sync', '--set=scram_iterations=1')
  const made = spawnSync(resolveProgram(cluster, 'initdb'), args, {
    ...cluster.account,
    cwd: '/',
    encoding: 'utf8',
  })
  fs.rmSync(passwordFile, { force: true })
  if (made.status !== 0) {
    const output = `${made.stderr ?? ''}${made.error?.message ?? ''}`
    if (isDiskFull(output)) throw diskFull()
    throw new Failure(
      'dataFolderBroken',
      `The database could not be created in ${data}: ${lastLine(output)}`,
    )
  }
  fs.renameSync(fresh, data)
}

function diskFull() {
  return new Failure(
    'diskFull',
    'The disk is full, so the database cannot write. Free some space and start again.',
  )
}

/** @param {string} data @param {string} why */
function brokenFolder(data, why) {
  return new Failure(
    'dataFolderBroken',
    `The database folder ${data} is broken: ${why}. Restore it from a backup, or move it away to start empty.`,
  )
}

/** @param {string} text */
function lastLine(text) {
  return text.trim().split('\n').at(-1) ?? 'no reason given'
}

/** Reads postmaster.pid of a running server; null: none runs. @param {Cluster} cluster */
function running(cluster) {
  const file = path.join(resolveDataPath(cluster), 'postmaster.pid')
  if (!fs.existsSync(file)) return null
  const lines = fs.readFileSync(file, 'utf8').split('\n')
  const pid = Number(lines[0])
  if (!Number.isInteger(pid) || pid <= 0 || !isAlive(pid)) return null
  return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' }
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const probe = net.createServer()
    probe.on('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}

/** @param {number} port @returns {Promise<boolean>} */
function isFree(port) {
  return new Promise((resolve) => {
    const probe = net.createServer()
    probe.on('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}

/**
 * Starts the server, or adopts the one that a killed parent left running.
 * @param {Cluster} cluster
 * @returns {Promise<{ pid: number, port: number, access: { password: string, port: number }, isAdopted: boolean }>}
 */
export async function start(cluster) {
  const access = readAccess(cluster)
  for (let attempt = 1; ; attempt++) {
    const adopted = await adopt(cluster)
    if (adopted !== null) return { pid: adopted.pid, port: adopted.port, access, isAdopted: true }
    const port = access.port !== 0 && (await isFree(access.port)) ? access.port : await freePort()
    if (attempt === 1) emptyLog(cluster)
    const begin = fs.statSync(resolveLogPath(cluster)).size
    const exit = launch(cluster, port)
    const ready = await untilReady(cluster, exit)
    if (ready !== null) {
      saveAccess(cluster, { ...access, port })
      return { pid: ready.pid, port, access, isAdopted: false }
    }
    const log = fs.readFileSync(resolveLogPath(cluster)).subarray(begin).toString().slice(-4000)
    const busy = /lock file .* already exists|pre-existing shared memory/i.test(log)
    if (!busy || attempt >= START_ATTEMPTS) throw startFailure(cluster, log)
    await wait(300)
  }
}

/** Empties the log, because its statements can quote what agents recorded. @param {Cluster} cluster */
function emptyLog(cluster) {
  fs.writeFileSync(resolveLogPath(cluster), '', { mode: 0o600 })
  fs.chmodSync(resolveLogPath(cluster), 0o600)
}

/** The server that a killed parent left running; null: there is none. @param {Cluster} cluster */
async function adopt(cluster) {
  const left = running(cluster)
  if (left === null || left.ready) return left
  return untilReady(cluster, null)
}

/** @param {Cluster} cluster @param {string} log */
function startFailure(cluster, log) {
  if (isDiskFull(log)) return diskFull()
  const reason =
    log
      .split('\n')
      .filter((line) => /FATAL|PANIC|ERROR/.test(line))
      .at(-1) ?? lastLine(log)
  return brokenFolder(resolveDataPath(cluster), reason.replace(/^.*?(FATAL|PANIC|ERROR):\s*/, ''))
}

/**
 * Restarts a server that ended, on the port that its clients know. Null: it did not become ready.
 * @param {Cluster} cluster @param {number} port
 * @returns {Promise<number | null>} its pid
 */
export async function startAgain(cluster, port) {
  const left = await adopt(cluster)
  if (left !== null) return left.port === port ? left.pid : null
  const ready = await untilReady(cluster, launch(cluster, port))
  return ready?.pid ?? null
}

/** Starts it in a session of its own, so that Ctrl-C reaches only this process. @param {Cluster} cluster @param {number} port */
function launch(cluster, port) {
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=120',
    'password_encryption=scram-sha-256',
    // Modern disks have no seek time: with the default of 4, charts would read every count of every series instead of the ones that they
    // show.
    'random_page_cost=1.1',
  ]
  if (!cluster.durable) settings.push('fsync=off', 'full_page_writes=off', 'synchronous_commit=off')
  const args = [
    '-D',
    resolveDataPath(cluster),
    '-p',
    String(port),
    ...settings.flatMap((setting) => ['-c', setting]),
  ]
  const log = fs.openSync(resolveLogPath(cluster), 'a')
  const child = spawn(resolveProgram(cluster, 'postgres'), args, {
    ...cluster.account,
    cwd: '/',
    detached: true,
    stdio: ['ignore', log, log],
  })
  fs.closeSync(log)
  const state = { exited: false }
  child.on('error', (error) => {
    fs.appendFileSync(resolveLogPath(cluster), `FATAL: ${error.message}\n`)
    state.exited = true
  })
  child.on('exit', () => {
    state.exited = true
  })
  child.unref()
  return state
}

/** Null: the process ended before it was ready. @param {Cluster} cluster @param {{ exited: boolean } | null} child */
async function untilReady(cluster, child) {
  for (const until = Date.now() + READY_WITHIN_MS; Date.now() < until; await wait(20)) {
    const now = running(cluster)
    if (now?.ready === true) return now
    if (child?.exited === true || (child === null && now === null)) return null
  }
  return null
}

/** Fast shutdown: open transactions are rolled back; committed data is on disk. @param {number} pid */
export async function stop(pid) {
  if (!isAlive(pid)) return
  process.kill(pid, 'SIGINT')
  for (const until = Date.now() + STOP_WITHIN_MS; Date.now() < until; await wait(20)) {
    if (!isAlive(pid)) return
  }
  process.kill(pid, 'SIGQUIT')
}
