// Each query as the browser sends it (HTTP, authentication, JSON), one after the other, on a database with months of use.
//   SIGNALBOX_BENCH_EVENTS=10000000     events to seed (1,000,000)
//   SIGNALBOX_BENCH_SESSIONS=100000     sessions to seed (10,000)
//   SIGNALBOX_BENCH_DATA=<folder>       data folder that is kept: the first run seeds it, later runs reuse it
//   SIGNALBOX_BENCH_TIMES=10            repetitions of each query (30)
//   SIGNALBOX_BENCH_ONLY=lists          only the nine lists, each with its figures over all of its pages and filters
//   SIGNALBOX_BENCH_EXPLAIN=1           writes plans of statements over 50 ms to postgres/postgres.log of that folder (auto_explain)
import path from 'node:path'
import pg from 'pg'
import { startEmbedded } from '../server/platform/db/embedded.mjs'
import { DAY, describeLists } from './list-questions.mjs'
import { processorTimeBelow, signedIn, startProduct } from './product.mjs'
import { note, percentile, row, section } from './report.mjs'
import { seedScale } from './seed-scale.mjs'

const PORT = 3196
const TIMES = Number(process.env.SIGNALBOX_BENCH_TIMES ?? 30)
const IS_LISTS_ONLY = process.env.SIGNALBOX_BENCH_ONLY === 'lists'
const WARM = 3
const MOST_MS = 100
const EXPLAIN = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '50',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
}
const LARGE = [
  'session_events%',
  'sessions',
  'stops',
  'denials',
  'deliveries',
  'session_snapshots',
  'audit_entries',
]

async function openSeeded(db, product) {
  const { rows } = await db.query('SELECT 1 FROM sessions LIMIT 1')
  if (rows.length > 0) return
  const events = Number(process.env.SIGNALBOX_BENCH_EVENTS ?? 1_000_000)
  const sessions = Number(process.env.SIGNALBOX_BENCH_SESSIONS ?? 10_000)
  const began = performance.now()
  await seedScale({ url: product.url, data: product.folder, events, sessions, days: 60 })
  note(`seeded in ${((performance.now() - began) / 1000).toFixed(0)} s`)
}

/** Samples from the middle of the stored data, so that no query runs at an edge. */
async function loadSamples(db) {
  const one = async (text, ...values) => (await db.query(text, values)).rows[0]
  const { id: project } = await one(
    'SELECT project_id AS id FROM sessions GROUP BY 1 ORDER BY count(*) DESC LIMIT 1',
  )
  const middle = await one(
    `SELECT id, max_seq AS seq, ns, key, runtime_id AS runtime FROM sessions
     WHERE project_id = $1 AND started_at < now() - interval '15 days' AND denied > 0 AND stops_blocked > 0
     ORDER BY started_at DESC LIMIT 1`,
    project,
  )
  const longest = await one(
    'SELECT id, max_seq AS seq FROM sessions WHERE project_id = $1 ORDER BY max_seq DESC LIMIT 1',
    project,
  )
  const stop = await one(
    `SELECT id, code FROM stops WHERE project_id = $1 AND verdict = 'blocked'
     AND at < now() - interval '15 days' ORDER BY at DESC LIMIT 1`,
    project,
  )
  const denial = await one(
    `SELECT id, rule, tool FROM denials WHERE project_id = $1
     AND at < now() - interval '15 days' ORDER BY at DESC LIMIT 1`,
    project,
  )
  const { rows: stops } = await db.query(
    'SELECT id FROM stops WHERE project_id = $1 ORDER BY at DESC LIMIT 100',
    [project],
  )
  const { rows: sessions } = await db.query(
    'SELECT id FROM sessions WHERE project_id = $1 ORDER BY started_at DESC LIMIT 100',
    [project],
  )
  const pluckIds = (rows) => rows.map(({ id }) => id)
  return {
    project,
    middle,
    longest,
    stop,
    denial,
    stops: pluckIds(stops),
    sessions: pluckIds(sessions),
  }
}

/** Queries of pages that are not lists: [title, procedure, input]. */
function listQuestions({ middle, longest, stop, denial, stops, sessions }) {
  const now = Date.now()
  const since = (days) => now - days * DAY
  const prompt = { ns: middle.ns, key: middle.key }
  const month = { since: since(30) }
  const total = (name, filter) => [
    `sessions, counted: ${name}`,
    'sessions.total',
    { filter: { ...month, ...filter } },
  ]
  const groups = (name, filter, by = 'reason') => [
    `stop groups: ${name}`,
    'stops.groups',
    { filter, by },
  ]
  const range = { from: since(30), until: now }
  const charts = [
    'denials',
    'calls',
    'pairs',
    'stop_ends',
    'attempts',
    'reasons',
    'deliveries',
    'advice',
    'sessions',
    'endings',
    'time_used',
    'plan_end',
  ]
  const sessionId = middle.id
  const mid = Math.floor(longest.seq / 2)
  return [
    ...[
      total('30 days', {}),
      total('blocked', { verdict: 'blocked' }),
      total('words', { q: 'refunds' }),
      [
        'sessions: what narrows',
        'sessions.narrowings',
        { filter: { ...month, q: 'nowhere', verdict: 'blocked', prompt } },
      ],
      ['sessions: 100 rows by id', 'sessions.rows', { filter: month, ids: sessions }],
      ['sessions: prompts', 'sessions.prompts'],
    ],
    ...[
      groups('24 hours', { since: since(1) }),
      groups('7 days', { since: since(7) }),
      groups('30 days', month),
      groups('30 days, by config', month, 'config'),
      groups('30 days, blocked', { ...month, verdict: 'blocked' }),
      groups('30 days, a prompt', { ...month, prompt }),
      groups('30 days, an environment', { ...month, environment: 'production' }),
      ['stops: progress of 100', 'stops.progress', { stopIds: stops }],
    ],
    ['refusals', 'refusals.list', { filter: {} }],
    ['refusals of a session', 'refusals.list', { filter: { session: sessionId } }],
    ...['attention', 'figures', 'releases', 'steps'].map((card) => [
      `overview: ${card}`,
      `overview.${card}`,
    ]),
    ...[
      ['analytics: frame', 'analytics.frame', { filter: range }],
      ...charts.map((chart) => [
        `analytics: ${chart}`,
        'analytics.chart',
        { chart, filter: range },
      ]),
      [
        'analytics: denials, a year',
        'analytics.chart',
        { chart: 'denials', filter: { ...range, from: since(365) } },
      ],
      [
        'analytics: two versions',
        'analytics.compare',
        { filter: { ...range, prompt }, versions: [1, 2] },
      ],
    ],
    ...[
      ['session: head', 'sessions.head', { sessionId }],
      ['session: index', 'sessions.index', { sessionId: longest.id, afterSeq: 0 }],
      [
        'session: 20 payloads',
        'sessions.events',
        { sessionId: longest.id, seqs: Array.from({ length: 20 }, (_, i) => mid - i) },
      ],
      ['session: search', 'sessions.search', { sessionId: longest.id, words: ['invoice'] }],
      ['session: files', 'sessions.files', { sessionId: longest.id }],
      ['session: plans', 'sessions.plans', { sessionId: longest.id }],
      [
        'session: fold in the middle',
        'sessions.fold',
        { sessionId: longest.id, seq: mid, toSeq: mid + 499 },
      ],
      ['stop: explanation', 'stops.explanation', { stopId: stop.id }],
      ['stop: under the live version', 'stops.underLive', { stopId: stop.id }],
      ['decision: explanation', 'decisions.explanation', { decisionId: denial.id }],
      ['the project of an id', 'projects.ofId', { id: sessionId }],
    ],
    ...[
      ['audit log: choices', 'auditLog.choices'],
      ['config: refused of late', 'configs.recent', prompt],
      ['runtimes: groups', 'runtimes.groups'],
      ['approvals: waiting', 'callApprovals.waiting', {}],
      ['approvals: settled', 'callApprovals.settled', { filter: {} }],
      ['retention', 'retention.get'],
    ],
  ]
}

const listDocuments = ({ middle, stop, denial }) => [
  ...['/', '/sessions', '/stops', '/decisions', '/analytics/denials', '/settings/audit-log'],
  ...[
    `/sessions/${middle.id}`,
    `/e/${middle.id.replace('sess_', 'evt_')}_${Math.ceil(middle.seq / 2)}`,
  ],
  ...[`/stops/${stop.id}`, `/decisions/${denial.id}`],
]

const ascending = (times) => times.sort((a, b) => a - b)

async function measureTime(ask) {
  const began = performance.now()
  await ask()
  return performance.now() - began
}

/** Other load slows the trivial request, too. `processorMs`: of server and database together, for one `ask` beyond the trivial request. */
async function timed(ask, { trivial, pid }) {
  const times = []
  const base = []
  for (let n = 0; n < WARM + TIMES; n += 1) {
    const [before, own] = [await measureTime(trivial), await measureTime(ask)]
    if (n < WARM) continue
    base.push(before)
    times.push(own)
  }
  const processorMs =
    (await measureProcessorTime(ask, pid)) - (await measureProcessorTime(trivial, pid))
  return { times: ascending(times), base: ascending(base), processorMs: Math.max(0, processorMs) }
}

async function measureProcessorTime(ask, pid) {
  const before = processorTimeBelow(pid)
  for (let n = 0; n < TIMES; n += 1) await ask()
  return (processorTimeBelow(pid) - before) / TIMES
}

function report(what, { times, base, processorMs }) {
  const p95 = percentile(times, 0.95)
  const ratio = percentile(times, 0.5) / percentile(base, 0.5)
  row(what, {
    times,
    unit: 'ms',
    figure: `p95 ${p95.toFixed(0)}, cpu ${processorMs.toFixed(0)}, ${ratio.toFixed(1)} ×`,
    bars: [{ text: `p95 ≤ ${MOST_MS} ms`, met: p95 <= MOST_MS }],
  })
}

async function readScans(db) {
  const { rows } = await db.query(
    `SELECT relname AS name, seq_scan::int AS scans, seq_tup_read::float8 AS read FROM pg_stat_user_tables WHERE relname LIKE ANY($1)`,
    [LARGE],
  )
  return new Map(rows.map(({ name, scans, read }) => [name, { scans, read }]))
}

async function reportScans(db, before) {
  // Idle connections report their counts after ten seconds.
  await new Promise((resolve) => setTimeout(resolve, 11_000))
  const after = await readScans(db)
  const read = [...after].flatMap(([name, now]) => {
    const then = before.get(name) ?? { scans: 0, read: 0 }
    return now.read > then.read
      ? [
          `${name}: ${now.scans - then.scans} scans, ${(now.read - then.read).toLocaleString('en')} rows`,
        ]
      : []
  })
  row('sequential scans of large tables', {
    figure: read.length === 0 ? 'none' : `${read.length} tables`,
    bars: [{ text: 'none', met: read.length === 0 }],
  })
  for (const line of read) note(line)
}

async function reportRuntimes(db) {
  await db.query('UPDATE runtimes SET last_seen_at = now() WHERE stopped_at IS NULL')
}

async function askLists(db, admin, { samples, against }) {
  const all = []
  for (const { list, procedure, questions } of describeLists(samples)) {
    section(`List of ${list}`)
    const measured = []
    for (const [title, inputs] of questions) {
      await reportRuntimes(db)
      let asked = 0
      const ask = () => admin.ask(procedure, inputs[asked++ % inputs.length])
      measured.push(await timed(ask, against))
      report(title, measured.at(-1))
    }
    const times = ascending(measured.flatMap((one) => one.times))
    const base = ascending(measured.flatMap((one) => one.base))
    const processorMs = measured.reduce((sum, one) => sum + one.processorMs, 0) / measured.length
    all.push([list, { times, base, processorMs }])
  }
  section('Each list, over all of its pages and filters')
  for (const [list, measured] of all) report(list, measured)
}

async function askOthers(admin, { samples, against }) {
  section('Other queries of pages')
  for (const [what, procedure, input] of listQuestions(samples))
    report(what, await timed(() => admin.ask(procedure, input), against))
  section('Documents, as the server renders them')
  for (const place of listDocuments(samples)) {
    const { times, base, processorMs } = await timed(() => admin.open(place), against)
    const ratio = percentile(times, 0.5) / percentile(base, 0.5)
    const figure = `p95 ${percentile(times, 0.95).toFixed(0)}, cpu ${processorMs.toFixed(0)}, ${ratio.toFixed(1)} ×`
    row(place.replace(/_[0-9A-Z]{26}/, '_…'), { times, unit: 'ms', figure })
  }
}

async function askAll(db, admin, pid) {
  const samples = await loadSamples(db)
  note('× is the median relative to reading one row by its key, measured in turn with each query')
  note(
    'cpu is the processor time of server and database together for one query, in ms, beyond that of the row',
  )
  const against = { pid, trivial: () => admin.ask('projects.current') }
  const before = await readScans(db)
  await askLists(db, admin, { samples, against })
  if (!IS_LISTS_ONLY) await askOthers(admin, { samples, against })
  await reportScans(db, before)
}

async function opened(folder) {
  const product = await startProduct(PORT, folder)
  const { url } = await startEmbedded({ dataDir: product.folder })
  const db = new pg.Client({ connectionString: url })
  await db.connect()
  const close = async () => {
    await db.end()
    await product.stop()
  }
  return { product, db, close }
}

/** Applies only to connections opened later. */
async function explain(db, isWanted) {
  for (const [name, value] of Object.entries(EXPLAIN)) {
    const what = isWanted ? `SET ${name} = '${value}'` : `RESET ${name}`
    await db.query(`ALTER DATABASE signalbox ${what}`)
  }
}

export async function run() {
  section(`Queries of pages, ${TIMES} times each`)
  const kept = process.env.SIGNALBOX_BENCH_DATA
  const folder = kept === undefined ? undefined : path.resolve(kept)
  const isExplained = folder !== undefined && process.env.SIGNALBOX_BENCH_EXPLAIN === '1'
  let { product, db, close } = await opened(folder)
  try {
    await openSeeded(db, product)
    const { rows } = await db.query(
      `SELECT (SELECT sum(reltuples)::bigint FROM pg_class WHERE relname LIKE 'session_events_2%' AND relkind = 'r') AS events,
         (SELECT count(*) FROM sessions) AS sessions, (SELECT count(*) FROM stops) AS stops,
         (SELECT count(*) FROM denials) AS denials, pg_size_pretty(pg_database_size(current_database())) AS size`,
    )
    const { events, sessions, stops, denials, size } = rows[0]
    note(`${events} events, ${sessions} sessions, ${stops} stops, ${denials} denials; ${size}`)
    await explain(db, isExplained)
    if (isExplained) {
      await close()
      ;({ product, db, close } = await opened(folder))
    }
    await askAll(db, await signedIn(product), product.pid)
  } finally {
    await close()
  }
}
