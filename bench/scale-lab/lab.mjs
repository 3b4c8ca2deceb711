// @ts-check
// Unpacked Debian packages, without root and services. They keep their data in one folder, listen on 127.0.0.1 only, and end with this process.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { unpackPackages } from '../../scripts/system-programs.mjs'
import { accountFor } from '../../server/platform/db/embedded/account.mjs'
import { processesBelow, ROOT } from '../product.mjs'

const PACKAGES = [
  ...['etcd-server', 'haproxy', 'liblua5.3-0', 'libopentracing1', 'libopentracing-c-wrapper0'],
  ...['python3-etcd', 'python3-dateutil', 'python3-dnspython', 'python3-psutil'],
  ...[
    'python3-psycopg2',
    'python3-six',
    'python3-urllib3',
    'python3-yaml',
    'libyaml-0-2',
    'libpq5',
  ],
  ...['python3-cdiff', 'python3-click', 'python3-prettytable', 'python3-wcwidth'],
  ...['pgbouncer', 'libc-ares2', 'libevent-2.1-7', 'nats-server'],
]
/** Patroni before 3.1.2, which Debian 12 has, loses acknowledged events when a frozen primary wakes up. */
const NEWER = { suite: 'trixie', packages: ['patroni'] }
const POSTGRES = '/usr/lib/postgresql/15/bin'

/** Linux ends the program with the process that started it, also when that one is killed. */
const ENDS_WITH_PARENT = ['setpriv', '--pdeathsig', 'KILL', '--']

/**
 * Rejects with the reason when the packages cannot be had.
 * @param {string} folder emptied first
 */
export async function openLab(folder) {
  const isInstalled = fs.existsSync(POSTGRES)
  const postgres = isInstalled ? [] : ['postgresql-15', 'postgresql-client-15']
  const root = await unpackPackages('scale-lab', [...PACKAGES, ...postgres], NEWER)
  return new Lab(folder, { root, postgres: isInstalled ? POSTGRES : path.join(root, POSTGRES) })
}

/** @typedef {{ program: string, args: readonly string[], env: NodeJS.ProcessEnv, account: { uid: number, gid: number } | null }} Command */

export class Lab {
  /** @type {Map<string, Command>} */
  #commands = new Map()
  /** @type {Map<string, import('node:child_process').ChildProcess>} */
  #children = new Map()
  /** Files with the process id of a program that leaves the program that started it, by name. @type {Map<string, string>} */
  #pidFiles = new Map()
  /** Programs that others started. @type {Set<number>} */
  #adopted = new Set()

  /** @param {string} folder @param {{ root: string, postgres: string }} programs */
  constructor(folder, { root, postgres }) {
    this.folder = folder
    this.postgres = postgres
    this.patroni = path.join(root, 'usr/bin/patroni')
    /** Null: the account of this process. PostgreSQL and PgBouncer refuse to run as root. */
    this.account = accountFor(folder)
    const libraries = path.join(root, 'usr/lib')
    /** @type {NodeJS.ProcessEnv} */
    this.env = {
      NODE_ENV: 'production',
      PATH: [`${root}/usr/sbin`, `${root}/usr/bin`, postgres, process.env['PATH']].join(':'),
      HOME: folder,
      LANG: 'C.UTF-8',
      PYTHONPATH: path.join(libraries, 'python3/dist-packages'),
      LD_LIBRARY_PATH: fs
        .readdirSync(libraries)
        .filter((name) => name.endsWith('-linux-gnu'))
        .map((name) => path.join(libraries, name))
        .join(':'),
    }
    fs.rmSync(folder, { recursive: true, force: true })
    fs.mkdirSync(folder, { recursive: true, mode: 0o755 })
    if (this.account !== null) fs.chownSync(folder, this.account.uid, this.account.gid)
    process.once('exit', () => this.end())
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
      process.once(signal, () => process.exit(1))
  }

  /**
   * Starts a program, whose output goes to `<name>.log`.
   * @param {string} name
   * @param {string} program
   * @param {readonly string[]} args
   */
  start(name, program, args) {
    const { env, account } = this
    this.startCommand(name, { program, args, env, account })
  }

  /** Like `start`, in an environment of its own. @param {string} name @param {Command} command */
  startCommand(name, command) {
    this.#commands.set(name, command)
    this.revive(name)
  }

  /** @param {string} name */
  revive(name) {
    const command = this.#commands.get(name)
    if (command === undefined) throw new Error(`There is no program ${name}.`)
    const { program, args, env, account } = command
    const log = fs.openSync(path.join(this.folder, `${name}.log`), 'a')
    const [setpriv = '', ...before] = ENDS_WITH_PARENT
    const child = spawn(setpriv, [...before, program, ...args], {
      cwd: this.folder,
      env,
      stdio: ['ignore', log, log],
      ...account,
    })
    fs.closeSync(log)
    const forget = () => {
      if (this.#children.get(name) === child) this.#children.delete(name)
    }
    child.once('exit', forget).once('error', forget)
    this.#children.set(name, child)
  }

  /** @param {string} name */
  readLog(name) {
    return fs.readFileSync(path.join(this.folder, `${name}.log`), 'utf8')
  }

  /** @param {string} name @param {string} file */
  keepPidFile(name, file) {
    this.#pidFiles.set(name, file)
  }

  /** Also ends this process, which the caller started, and those that it started. @param {number} pid */
  adopt(pid) {
    this.#adopted.add(pid)
  }

  get names() {
    return [...this.#commands.keys(), ...this.#pidFiles.keys()]
  }

  /** The program and everything that it started, ids of processes; empty: it does not run. @param {string} name */
  pidsOf(name) {
    const file = this.#pidFiles.get(name)
    const pid = file === undefined ? this.#children.get(name)?.pid : readPid(file)
    return pid === undefined ? [] : [pid, ...processesBelow(pid).map((one) => one.pid)]
  }

  /** @param {readonly string[]} names @param {NodeJS.Signals} [signal] */
  signal(names, signal = 'SIGKILL') {
    for (const pid of names.flatMap((name) => this.pidsOf(name))) send(pid, signal)
  }

  /** Kills everything at once: the data is only for this run. */
  end() {
    const adopted = [...this.#adopted].flatMap((pid) => [
      ...processesBelow(pid).map((one) => one.pid),
      pid,
    ])
    this.#adopted.clear()
    this.signal(this.names)
    for (const pid of adopted) send(pid, 'SIGKILL')
  }
}

/** The file outlives a killed program, whose id may belong to another one by now. @param {string} file */
function readPid(file) {
  try {
    const pid = Number(fs.readFileSync(file, 'utf8').split('\n')[0])
    const command = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    return command.includes(path.dirname(file)) ? pid : undefined
  } catch {
    // There is no file, or no such process.
    return undefined
  }
}

/** @param {number} pid @param {NodeJS.Signals} signal */
function send(pid, signal) {
  try {
    process.kill(pid, signal)
  } catch {
    // The process has already ended.
  }
}

/**
 * Resolves with the first value that is not null, undefined or false. Rejects after `seconds`.
 * @template T
 * @param {string | (() => string)} what for the error, which may name what there is instead
 * @param {number} seconds
 * @param {() => Promise<T> | T} read
 * @returns {Promise<Exclude<T, null | undefined | false>>}
 */
export async function until(what, seconds, read) {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await wait(100)) {
    const value = await read()
    if (value !== null && value !== undefined && value !== false)
      return /** @type {Exclude<T, null | undefined | false>} */ (value)
  }
  throw new Error(`${typeof what === 'string' ? what : what()}: not within ${seconds} s`)
}

/**
 * Returns a file of deploy/ with other values; each of the old ones must be there.
 * @param {string} name
 * @param {readonly (readonly [old: string, own: string | number])[]} values
 */
export function fillIn(name, values) {
  let text = fs.readFileSync(path.join(ROOT, 'deploy', name), 'utf8')
  for (const [old, own] of values) {
    if (!text.includes(old)) throw new Error(`deploy/${name} has no "${old}".`)
    text = text.replaceAll(old, String(own))
  }
  return text
}

let next = 21_000 + (process.pid % 500)

/** Returns a port below the range of outgoing connections, so that a program that starts again gets its port. */
export async function freePort() {
  for (;;) {
    const port = next
    next = port + 500 < 32_000 ? port + 500 : 21_000 + (port % 500) + 1
    if (await isFree(port)) return port
  }
}

/** @param {number} port @returns {Promise<boolean>} */
function isFree(port) {
  return new Promise((resolve) => {
    const probe = net.createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}

/** Resolves with the answer's JSON; null: no answer with status 200. @param {string} url @param {object} [body] sent with POST */
export async function askJson(url, body) {
  try {
    const answer = await fetch(url, {
      signal: AbortSignal.timeout(1000),
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      headers: { 'content-type': 'application/json' },
    })
    return answer.status === 200 ? await answer.json() : null
  } catch {
    // The program does not run, or not yet.
    return null
  }
}
