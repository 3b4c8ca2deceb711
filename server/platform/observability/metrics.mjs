// @ts-check
// Metrics of a process are added up over this server's web processes. Gauges come from the database, equal on every replica.
import cluster from 'node:cluster'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

function define() {
  const registry = new Registry()
  const installation = new Registry()
  collectDefaultMetrics({ register: registry })
  if (cluster.isWorker) reportOnRequest(registry)
  const registers = [registry]
  const installationOnly = [installation]
  return {
    registry,
    /** Metrics of the installation, so they are not added up. */
    installation,
    requests: new Histogram({
      name: 'signalbox_http_request_duration_seconds',
      help: 'Time from the first byte of a request to the end of its answer; streams are not included.',
      labelNames: ['route', 'method', 'status'],
      buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers,
    }),
    streams: new Gauge({
      name: 'signalbox_streams_open',
      help: 'Open event streams of runtimes and browsers.',
      labelNames: ['route'],
      registers,
    }),
    events: new Counter({
      name: 'signalbox_ingest_events_total',
      help: 'Events received, by what became of them: stored, duplicate, refused.',
      labelNames: ['result'],
      registers,
    }),
    lag: new Histogram({
      name: 'signalbox_ingest_lag_seconds',
      help: 'Age of the newest event of a batch when the batch was stored, by the clock of the runtime.',
      buckets: [0.1, 0.5, 1, 5, 15, 60, 300, 1800, 7200],
      registers,
    }),
    batchesRefused: new Counter({
      name: 'signalbox_ingest_batches_refused_total',
      help: 'Batches that were refused as a whole, by HTTP status.',
      labelNames: ['status'],
      registers,
    }),
    eventLogUp: new Gauge({
      name: 'signalbox_event_log_up',
      help: '1 while the event log takes events; 0 also without SIGNALBOX_EVENT_LOG.',
      registers: installationOnly,
    }),
    eventLogLag: new Gauge({
      name: 'signalbox_event_log_lag_seconds',
      help: 'Age of the oldest batch that the event log holds and the database does not.',
      registers: installationOnly,
    }),
    eventLogBytes: new Gauge({
      name: 'signalbox_event_log_bytes',
      help: 'Size of the batches that the event log holds.',
      registers: installationOnly,
    }),
    deadLetters: new Counter({
      name: 'signalbox_event_log_dead_letters_total',
      help: 'Acknowledged events that were not stored, by reason.',
      labelNames: ['reason'],
      registers,
    }),
    decisions: new Counter({
      name: 'signalbox_decisions_total',
      help: 'Decisions in stored events, by kind (call, stop) and verdict.',
      labelNames: ['kind', 'verdict'],
      registers,
    }),
    divergences: new Counter({
      name: 'signalbox_divergences_total',
      help: 'Sessions whose recorded decisions were found to differ from the recomputed ones.',
      registers,
    }),
    database: new Gauge({
      name: 'signalbox_database_up',
      help: '1 while the database answers, else 0.',
      registers: installationOnly,
    }),
    jobs: new Gauge({
      name: 'signalbox_jobs_waiting',
      help: 'Jobs that are due and not begun, by task.',
      labelNames: ['task'],
      registers: installationOnly,
    }),
    oldestJob: new Gauge({
      name: 'signalbox_jobs_oldest_waiting_seconds',
      help: 'How long the oldest due job has waited; 0 when none waits.',
      registers: installationOnly,
    }),
    failedJobs: new Gauge({
      name: 'signalbox_jobs_failed',
      help: 'Jobs that failed for good and were not removed yet.',
      registers: installationOnly,
    }),
    runtimes: new Gauge({
      name: 'signalbox_runtimes',
      help: 'Runtimes of all projects by state: connected, stale, disconnected, stopped.',
      labelNames: ['state'],
      registers: installationOnly,
    }),
    runtimesRejecting: new Gauge({
      name: 'signalbox_runtimes_rejecting',
      help: 'Connected runtimes that rejected the newest configuration they were offered.',
      registers: installationOnly,
    }),
    spooledEvents: new Gauge({
      name: 'signalbox_runtimes_spooled_events',
      help: 'Events that connected runtimes still hold on disk, as last reported.',
      registers: installationOnly,
    }),
  }
}

/** Reads a message between scripts/cluster.mjs and this process. @param {unknown} message */
const readMessage = (message) => /** @type {{ kind: string, text: string }} */ (message)

/** Reports this process's metrics whenever the primary process requests them. @param {Registry} registry */
function reportOnRequest(registry) {
  process.on('message', async (message) => {
    if (readMessage(message).kind !== 'report metrics') return
    process.send?.({ kind: 'metrics', metrics: await registry.getMetricsAsJSON() })
  })
}

/** The primary process answers within a second, even if a worker does not. */
const SUM_WITHIN_MS = 5_000

/** Rejects when the primary process does not answer. @returns {Promise<string>} */
function readSum() {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      process.off('message', receive)
      reject(new Error('The primary process did not add up the metrics.'))
    }, SUM_WITHIN_MS)
    const receive = (/** @type {unknown} */ message) => {
      const { kind, text } = readMessage(message)
      if (kind !== 'sum of metrics') return
      clearTimeout(late)
      process.off('message', receive)
      resolve(text)
    }
    process.on('message', receive)
    process.send?.({ kind: 'sum metrics' })
  })
}

// Kept on globalThis because serve.mjs and Next's bundles each load this module, and there must be one registry.
const holder = /** @type {{ signalboxMetrics?: ReturnType<typeof define> }} */ (globalThis)

holder.signalboxMetrics ??= define()

export const metrics = holder.signalboxMetrics

export async function readMetrics() {
  const { registry, installation } = metrics
  const summed = cluster.isWorker ? await readSum() : await registry.metrics()
  return `${summed}\n${await installation.metrics()}`
}
