// @ts-check
// Metrics of GET /metrics (docs/operations/monitor.md). Counters are of this process. Gauges about queue and runtimes are read from the
// database on request (server/operations/operations.ts), so every replica reports the same.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

function define() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  return {
    registry,
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
      registers,
    }),
    eventLogLag: new Gauge({
      name: 'signalbox_event_log_lag_seconds',
      help: 'Age of the oldest batch that the event log holds and the database does not.',
      registers,
    }),
    eventLogBytes: new Gauge({
      name: 'signalbox_event_log_bytes',
      help: 'Size of the batches that the event log holds.',
      registers,
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
      registers,
    }),
    jobs: new Gauge({
      name: 'signalbox_jobs_waiting',
      help: 'Jobs that are due and not begun, by task.',
      labelNames: ['task'],
      registers,
    }),
    oldestJob: new Gauge({
      name: 'signalbox_jobs_oldest_waiting_seconds',
      help: 'How long the oldest due job has waited; 0 when none waits.',
      registers,
    }),
    failedJobs: new Gauge({
      name: 'signalbox_jobs_failed',
      help: 'Jobs that failed for good and were not removed yet.',
      registers,
    }),
    runtimes: new Gauge({
      name: 'signalbox_runtimes',
      help: 'Runtimes of all projects by state: connected, stale, disconnected, stopped.',
      labelNames: ['state'],
      registers,
    }),
    runtimesRejecting: new Gauge({
      name: 'signalbox_runtimes_rejecting',
      help: 'Connected runtimes that rejected the newest configuration they were offered.',
      registers,
    }),
    spooledEvents: new Gauge({
      name: 'signalbox_runtimes_spooled_events',
      help: 'Events that connected runtimes still hold on disk, as last reported.',
      registers,
    }),
  }
}

// Kept on globalThis because serve.mjs and Next's bundles each load this module, and there must be one registry.
const holder = /** @type {{ signalboxMetrics?: ReturnType<typeof define> }} */ (globalThis)

holder.signalboxMetrics ??= define()

export const metrics = holder.signalboxMetrics
