// @ts-check
// node scripts/cluster.mjs COUNT, then the arguments of Node.js for one web process (decision 64). Gives connections to workers in turn,
// replaces workers that end, writes their logs line by line, and adds up their metrics. It loads nothing of the server.
import cluster from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import { AggregatorRegistry } from 'prom-client'
import { logger } from '../server/platform/observability/log.mjs'

/** @typedef {import('node:cluster').Worker} Worker */
/** @typedef {import('prom-client').MetricObjectWithValues<import('prom-client').MetricValue<string>>} Metric */
/** @typedef {{ kind: 'prepared' } | { kind: 'metrics', metrics: Metric[] } | { kind: 'sum metrics' }} Message */

const SERVER = 'scripts/serve.mjs'
/** The replacement of a worker that lived this long starts at once. */
const STEADY_MS = 60_000
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 30_000
/** Time for a worker to report its metrics. When it is late, its last report counts. */
const REPORT_MS = 1_000

const [count = '', ...command] = process.argv.slice(2)
const slots = Array.from({ length: Number(count) }, () => ({ pauseMs: 0 }))
const at = command.indexOf(SERVER)
cluster.setupPrimary({
  exec: SERVER,
  execArgv: command.slice(0, at),
  args: command.slice(at + 1),
  stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
})
logger.level = process.env['SIGNALBOX_LOG_LEVEL'] || 'info'

/** Every worker that has not ended. @type {Set<Worker>} */
const running = new Set()
/** Workers that could serve and wait until all others can. @type {Worker[]} */
const prepared = []
/** @type {Set<Worker>} */
const serving = new Set()
let hasServed = false
/** Exit code of this process once the last worker has ended; null: it is not stopping. @type {number | null} */
let stoppedWith = null

/** A worker that is about to end does not receive it. @param {Worker} worker @param {object} message */
function tell(worker, message) {
  worker.send(message, () => undefined)
}

/** Writes whole lines only, so that lines of several processes never mix. @param {import('node:stream').Readable | null} from @param {NodeJS.WriteStream} to */
function forwardLines(from, to) {
  let rest = ''
  from?.setEncoding('utf8')
  from?.on('data', (/** @type {string} */ text) => {
    const end = text.lastIndexOf('\n') + 1
    if (end > 0) to.write(rest + text.slice(0, end))
    rest = end > 0 ? text.slice(end) : rest + text
  })
  from?.on('end', () => rest !== '' && to.write(`${rest}\n`))
}

/** Starts a worker in this slot. The one in the first slot works on jobs. @param {number} index */
function startWorker(index) {
  const startedAt = Date.now()
  const worker = cluster.fork(index === 0 ? {} : { SIGNALBOX_JOBS: 'off' })
  running.add(worker)
  forwardLines(worker.process.stdout, process.stdout)
  forwardLines(worker.process.stderr, process.stderr)
  worker.on('message', (message) => receive(worker, message))
  worker.on('error', (error) => logger.error({ err: error }, 'a web process failed'))
  worker.once('listening', () => {
    hasServed = true
    serving.add(worker)
  })
  // Comes after the last line and the last message of the worker.
  worker.process.once('close', (code, signal) => {
    running.delete(worker)
    keepCounters(worker)
    if (stoppedWith !== null) return endAfterLast()
    // Another attempt would fail in the same way, for example because of a variable.
    if (!hasServed) return stop(code || 1)
    replace(index, { livedMs: Date.now() - startedAt, code, signal })
  })
}

/** @param {number} index @param {{ livedMs: number, code: number | null, signal: NodeJS.Signals | null }} ended */
function replace(index, { livedMs, code, signal }) {
  const slot = slots[index]
  if (slot === undefined) return
  const longer = Math.max(FIRST_PAUSE_MS, 2 * slot.pauseMs)
  slot.pauseMs = livedMs > STEADY_MS ? 0 : Math.min(longer, LONGEST_PAUSE_MS)
  logger.error({ code, signal, pauseMs: slot.pauseMs }, 'a web process ended and is replaced')
  setTimeout(() => stoppedWith === null && startWorker(index), slot.pauseMs)
}

/** @param {Worker} worker @param {Message} message */
function receive(worker, message) {
  if (message.kind === 'prepared') {
    prepared.push(worker)
    // The port opens for all at once, so that a server that answers has all its processes.
    if (!hasServed && prepared.length < slots.length) return
    for (const one of prepared.splice(0)) tell(one, { kind: 'serve' })
  } else if (message.kind === 'metrics') {
    reports.set(worker, message.metrics)
    reported.get(worker)?.()
  } else if (message.kind === 'sum metrics') {
    summing ??= sumMetrics().finally(() => {
      summing = null
    })
    void summing.then((text) => tell(worker, { kind: 'sum of metrics', text }))
  }
}

/** @type {Map<Worker, Metric[]>} */
const reports = new Map()
/** Called when the worker reports or ends. @type {Map<Worker, (value?: undefined) => void>} */
const reported = new Map()
/**
 * Counters that ended workers have reported. Without them a sum would fall, which a reader takes for a restart of all.
 * @type {Promise<Metric[]>}
 */
let counted = Promise.resolve([])
/** @type {Promise<string> | null} */
let summing = null

/** Metrics of all workers as one text. Each metric names how its values are combined; most are added. */
async function sumMetrics() {
  const all = [...serving].map(
    (worker) =>
      new Promise((resolve) => {
        reported.set(worker, resolve)
        tell(worker, { kind: 'report metrics' })
      }),
  )
  await Promise.race([Promise.all(all), sleep(REPORT_MS)])
  return await AggregatorRegistry.aggregate([...reports.values(), await counted]).metrics()
}

/** @param {Worker} worker */
function keepCounters(worker) {
  serving.delete(worker)
  // The package declares numbers; the values are names.
  const last = (reports.get(worker) ?? []).filter(({ type }) => String(type) !== 'gauge')
  counted = counted.then((before) =>
    AggregatorRegistry.aggregate([before, last]).getMetricsAsJSON(),
  )
  reports.delete(worker)
  reported.get(worker)?.()
  reported.delete(worker)
}

/** Workers answer open requests before they end (scripts/serve.mjs). @param {number} code exit code of this process */
function stop(code) {
  stoppedWith ??= code
  for (const worker of running) worker.process.kill('SIGTERM')
  endAfterLast()
}

function endAfterLast() {
  if (running.size === 0) process.exit(stoppedWith ?? 0)
}

// When this process is killed, its workers end: Node.js ends a worker that loses its channel.
for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT'])) process.on(signal, () => stop(0))
for (const index of slots.keys()) startWorker(index)
