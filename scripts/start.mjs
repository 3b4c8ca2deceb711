// @ts-check
// npm start. Imports only node: modules before packages are installed. Exit codes: server/platform/base/failure.mjs.
import { spawn } from 'node:child_process'
import net from 'node:net'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { describeError, Failure, isDiskFull } from '../server/platform/base/failure.mjs'
import { installPackages, prepare, ROOT, releaseHere } from './build-steps.mjs'
import { dataFolder, holdFolder, openFolder, openLog } from './data-folder.mjs'

const HELP = `Usage: npm start -- [options]

Install and build what is missing, then serve Signalbox

Options:
  --port <number>  Port to serve on (env: PORT; default: 3000)
  --host <name>    Address to listen on (env: HOST; default: 127.0.0.1)
  --no-demo        Do not run the demo agent at the first start
  --dev            Start the development server, which rebuilds as files change
  --help           Show help

Environment variables:
  DATABASE_URL         PostgreSQL 15 or newer to use instead of the embedded one
  DATABASE_DIRECT_URL  Address of the same database without a pooler, if
                       DATABASE_URL is a pooler in transaction mode
  SIGNALBOX_SECRET     Secret that opens the other secrets in DATABASE_URL, so
                       that replicas share them
  SIGNALBOX_DATA_DIR   Folder for data and secrets (default: .signalbox)
  SIGNALBOX_URL        Public address (default: http://HOST:PORT)
  SIGNALBOX_LOG        Target of the server log (choices: file, stdout;
                       default: file)
  SIGNALBOX_WEB_PROCESSES
                       Number of web processes that share the port (default: 1)

docs/operations/configure.md describes every variable.
`
const READY_WITHIN_MS = 60_000
/** MiB of V8's young generation. Batches and pages of a log outlive the default of 16 by a moment; copying them took a third of a backtest's time. */
const YOUNG_MIB = 64

/** Loads OpenTelemetry, before the modules that it instruments. */
const TRACING = './scripts/tracing.mjs'

/** Called in reverse order at the end. @type {(() => unknown)[]} */
const cleanups = []
let stopping = false
/** Aborted by a signal: ends the running install or build step. */
const preparing = new AbortController()

function options() {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: 'string' },
        host: { type: 'string' },
        'no-demo': { type: 'boolean', default: false },
        dev: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
    const port = values.port === undefined ? undefined : Number(values.port)
    if (port !== undefined && (!Number.isInteger(port) || port < 1 || port > 65_535))
      throw new Error(`the port ${values.port} is not a number from 1 to 65535`)
    return { ...values, port }
  } catch (error) {
    throw new Failure(
      'usage',
      `The options are invalid: ${describeError(error)}. Try "npm start -- --help".`,
    )
  }
}

/** Threads of a killed server can hold its port for a moment after its end. */
const PORT_RELEASE_MS = 5000

/** @param {number} port @param {string} host @returns {Promise<boolean>} */
function isPortFree(port, host) {
  return new Promise((resolve) => {
    const probe = net.createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, host, () => probe.close(() => resolve(true)))
  })
}

/** @param {{ port: number, host: string }} place @param {number} patienceMs */
async function requireFreePort({ port, host }, patienceMs) {
  for (const until = Date.now() + patienceMs; ; ) {
    if (await isPortFree(port, host)) return
    if (Date.now() >= until) break
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Failure(
    'portInUse',
    `The port ${port} on ${host} is in use. Stop what uses it, or choose another with "npm start -- --port ${port + 1}".`,
  )
}

function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  throw new Failure(
    'nodeTooOld',
    `Node ${process.versions.node} is too old. Install Node 20.19 or newer.`,
  )
}

/**
 * Address that browsers and runtimes use, without a trailing slash. Its path is part of the build.
 * @param {string | undefined} wanted SIGNALBOX_URL
 * @param {string} address of this process
 */
function publicUrl(wanted, address) {
  const prefix = releaseHere()?.prefix ?? ''
  const url = (wanted ?? `${address}${prefix}`).replace(/\/+$/, '')
  const asked = new URL(url).pathname.replace(/\/$/, '')
  if (asked === prefix) return { url, prefix }
  const named = (/** @type {string} */ path) => (path === '' ? 'no prefix' : `the prefix ${path}`)
  throw new Failure(
    'badConfiguration',
    `SIGNALBOX_URL has ${named(asked)}, but this build is for ${named(prefix)}: change SIGNALBOX_URL, or make a release with "npm run release${asked === '' ? '' : ` -- --prefix ${asked}`}".`,
  )
}

/** @param {{ port: number, host: string, env: NodeJS.ProcessEnv, processes: number }} options */
function productionServer({ port, host, env, processes }) {
  const one = [
    `--max-semi-space-size=${YOUNG_MIB}`,
    ...(env['OTEL_EXPORTER_OTLP_ENDPOINT'] === undefined ? [] : ['--import', TRACING]),
    ...['scripts/serve.mjs', '--host', host, '--port', String(port)],
  ]
  return processes === 1 ? one : ['scripts/cluster.mjs', String(processes), ...one]
}

/**
 * @param {{ port: number, host: string, dev: boolean, env: NodeJS.ProcessEnv, processes: number, logFile: string | null }} options
 * `logFile` null: standard output
 */
function startWeb({ port, host, dev, env, processes, logFile }) {
  const program = dev
    ? ['node_modules/next/dist/bin/next', 'dev', '-H', host, '-p', String(port)]
    : productionServer({ port, host, env, processes })
  const log = dev || logFile === null ? 'inherit' : openLog(logFile)
  const child = spawn(process.execPath, program, {
    cwd: ROOT,
    env: dev ? env : { ...env, NODE_ENV: 'production' },
    stdio: ['ignore', log, log],
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  cleanups.push(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
    const late = setTimeout(() => child.kill('SIGKILL'), 12_000)
    await ended
    clearTimeout(late)
  })
  return { child, ended }
}

/** @param {string} problem of the server @param {string | null} logFile */
function serverFailure(problem, logFile) {
  const log = logFile === null ? 'Its log is above' : `Its log is ${logFile}`
  return new Failure('serverFailed', `The server ${problem}. ${log}.`)
}

/** False: the server ended or took too long. @param {string} url @param {import('node:child_process').ChildProcess} child */
async function isHealthyInTime(url, child) {
  for (const until = Date.now() + READY_WITHIN_MS; Date.now() < until; ) {
    if (child.exitCode !== null) break
    const healthy = await fetch(`${url}/api/health`, { signal: AbortSignal.timeout(5000) }).then(
      (answer) => answer.ok,
      () => false,
    )
    if (healthy) return true
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return false
}

/** @param {import('pg').Client} client @returns {Promise<{ users: number, sessions: number }>} */
async function countRows(client) {
  const { rows } = await client.query(
    'SELECT (SELECT count(*)::int FROM users) AS users, (SELECT count(*)::int FROM (SELECT 1 FROM sessions LIMIT 1) AS s) AS sessions',
  )
  return rows[0]
}

/** Starts the demo agent, which gets no secret but its own key. @param {Readonly<Record<string, string>>} env */
function runDemo({ SIGNALBOX_URL, SIGNALBOX_DEMO_KEY, SIGNALBOX_DATA_DIR }) {
  const { PATH, HOME, TZ, LANG } = process.env
  const demo = spawn(process.execPath, [path.join(ROOT, 'scripts/demo.mjs')], {
    cwd: ROOT,
    env: { PATH, HOME, TZ, LANG, SIGNALBOX_URL, SIGNALBOX_DEMO_KEY, SIGNALBOX_DATA_DIR },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  cleanups.push(() => demo.kill('SIGTERM'))
}

/** Environment of the server, without NAME_FILE variables whose content it contains. @param {Readonly<Record<string, string>>} variables */
function serverEnvironment(variables) {
  const others = Object.entries(process.env).filter(
    ([name]) =>
      !(name.replace(/_FILE$/, '') in variables) &&
      !/^SIGNALBOX_(NEW_SECRET|SECRET|BACKUP_PASSPHRASE)/.test(name),
  )
  return { ...Object.fromEntries(others), ...variables }
}

/** @param {string} line */
const report = (line) => void process.stdout.write(`${line}\n`)

async function main() {
  const wanted = options()
  if (wanted.help) {
    process.stdout.write(HELP)
    return
  }
  requireNode()
  const { signal } = preparing
  await installPackages(signal)
  const { readVariables } = await import('./read-variables.mjs')
  const variables = readVariables(process.env)
  const host = wanted.host ?? variables['HOST'] ?? '127.0.0.1'
  const port = wanted.port ?? Number(variables['PORT'] ?? 3000)
  const listening = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  const { url, prefix } = publicUrl(variables['SIGNALBOX_URL'], listening)
  const address = `${listening}${prefix}`
  const folder = dataFolder()
  const logFile = variables['SIGNALBOX_LOG'] === 'stdout' ? null : path.join(folder, 'server.log')
  openFolder(folder)
  const hold = await holdFolder(folder)
  cleanups.push(() => hold.release())
  await requireFreePort({ host, port }, hold.endedLeftOver ? PORT_RELEASE_MS : 0)
  await prepare({ web: !wanted.dev, signal })
  const { refuseUnsafeLog } = await import('../server/event-log/log-servers.mjs')
  await refuseUnsafeLog(variables)
  const { openInstallation, withClient } = await import('./installation.mjs')
  const opening = openInstallation({ variables, folder, report })
  // Registered before it is open, so that a signal meanwhile leaves no database behind.
  cleanups.push(() => opening.then(({ close }) => close()).catch(() => undefined))
  const installation = await opening
  signal.throwIfAborted()
  const env = { ...installation.env, SIGNALBOX_URL: url }
  const { child, ended } = startWeb({
    dev: wanted.dev,
    host,
    port,
    logFile,
    processes: Number(variables['SIGNALBOX_WEB_PROCESSES'] ?? 1),
    env: { ...serverEnvironment(env), SIGNALBOX_PREFIX: prefix },
  })
  if (child.pid !== undefined) hold.note({ webPid: child.pid, address })
  if (!(await isHealthyInTime(address, child))) throw serverFailure('did not become ready', logFile)
  const directory = variables['SIGNALBOX_DIRECTORY_URL']
  const counts = await withClient(directory ?? installation.directUrl, countRows)
  const token = installation.env['SIGNALBOX_SETUP_TOKEN']
  const invitation = counts.users === 0 ? ` · first administrator: ${url}/setup?token=${token}` : ''
  process.stdout.write(`Signalbox is ready at ${url}${invitation}\n`)
  if (!wanted['no-demo'] && directory === undefined && counts.sessions === 0) runDemo(env)
  await ended
  if (!stopping) throw serverFailure('ended unexpectedly', logFile)
}

async function stopAll() {
  stopping = true
  preparing.abort()
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
}

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => void stopAll().then(() => process.exit(0)))
}

// The reader of the output may be gone, as after `npm start | head -1`. The product goes on; otherwise its server would be left behind.
for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined)

try {
  await main()
} catch (error) {
  if (!stopping) {
    process.exitCode = error instanceof Failure ? error.exitCode : isDiskFull(error) ? 15 : 1
    process.stderr.write(
      `${isDiskFull(error) && !(error instanceof Failure) ? 'The disk is full. Free some space and start again.' : describeError(error)}\n`,
    )
  }
  await stopAll()
}
