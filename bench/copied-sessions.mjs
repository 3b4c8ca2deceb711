// @ts-check
// Multiplies recorded sessions inside the database. A row of a copy is its template's, moved by whole hours to another session, project and
// environment. It shares with its template: hashes of events (so a chain is not valid under its new id), times inside payloads, and
// activity_days of a session that runs past midnight, which all count for its first day.

/**
 * @typedef {object} Copy
 * @property {string} from id of the template
 * @property {string} to id of the copy
 * @property {string} project
 * @property {string} environment
 * @property {string} runtime
 * @property {number} hours from the template's day to the copy's hour
 */

const COLUMNS = ['from', 'to', 'project', 'environment', 'runtime', 'hours']
const BATCH = 20_000

/** @param {import('pg').Client} db @param {readonly Copy[]} copies */
async function plan(db, copies) {
  // Not temporary, because every connection that copies reads it.
  await db.query(`CREATE UNLOGGED TABLE copies ("from" TEXT, "to" TEXT, project TEXT, environment TEXT, runtime TEXT,
    version INT, shift INTERVAL, day DATE)`)
  for (let from = 0; from < copies.length; from += BATCH) {
    const batch = copies.slice(from, from + BATCH)
    await db.query(
      `INSERT INTO copies SELECT n."from", n."to", n.project, n.environment, n.runtime,
         (SELECT max(v.number) FROM config_versions v WHERE v.digest = s.config_digest),
         make_interval(hours => n.hours), ((s.started_at + make_interval(hours => n.hours)) AT TIME ZONE 'UTC')::date
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int[])
         AS n("from", "to", project, environment, runtime, hours) JOIN sessions s ON s.id = n."from"`,
      COLUMNS.map((name) => batch.map((copy) => copy[/** @type {keyof Copy} */ (name)])),
    )
  }
  await db.query('CREATE INDEX ON copies (day, "to")')
  await db.query('ANALYZE copies')
}

/** Columns of a copied row that differ from the template's. `t` is the template, `c` the copy. @type {Record<string, string>} */
const CHANGED = {
  project_id: 'c.project',
  environment: 'c.environment',
  session_id: 'c."to"',
  runtime_id: 'c.runtime',
  config_version: 'c.version',
  partition_day: 'c.day',
  events_removed_at: 't.events_removed_at',
}

const STARTED = `CASE WHEN t.type = 'session.started' THEN (t.data::jsonb
    || jsonb_build_object('runtime', c.runtime, 'config_version', c.version)
    || CASE WHEN t.data::jsonb ? 'deadline_at' THEN jsonb_build_object('deadline_at',
         (t.data->>'deadline_at')::bigint + (extract(epoch FROM c.shift) * 1000)::bigint) ELSE '{}' END)::json
  ELSE t.data END`

const moved = (/** @type {string} */ column) =>
  `replace(t.${column}, substr(c."from", 6), substr(c."to", 6))`

/** @param {import('pg').Client} db @param {string} table */
async function readColumns(db, table) {
  const { rows } = await db.query(
    `SELECT column_name AS name, data_type AS type FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name = $1 ORDER BY ordinal_position`,
    [table],
  )
  const names = rows.map(({ name }) => `"${name}"`)
  const values = rows.map(({ name, type }) => {
    if (table === 'session_events' && name === 'data') return STARTED
    if (CHANGED[name] !== undefined) return CHANGED[name]
    if (name === 'id' || name === 'last_stop_id') return moved(name)
    // A template arrives now; a copy arrives at the end of its session.
    if (table === 'sessions' && name === 'received_at') return 't.last_event_at + c.shift'
    if (name === 'received_at') return 't.at + c.shift'
    return type === 'timestamp with time zone' ? `t."${name}" + c.shift` : `t."${name}"`
  })
  return { names: names.join(', '), values: values.join(', ') }
}

/** @param {import('pg').Client} db @param {string} table @param {string} [key] column with the template's session */
async function copyRows(db, table, key = 'session_id') {
  const { names, values } = await readColumns(db, table)
  await db.query(
    `INSERT INTO ${table} (${names}) SELECT ${values} FROM (SELECT * FROM copies ORDER BY day, "to") c
     CROSS JOIN LATERAL (SELECT * FROM ${table} t WHERE t.${key} = c."from") t`,
  )
}

/** Prepares the copying of events, and lists the days that they go to. @param {import('pg').Client} db @returns {Promise<string[]>} */
async function planEvents(db) {
  await db.query(`CREATE UNLOGGED TABLE template_events AS SELECT * FROM session_events
    WHERE session_id IN (SELECT "from" FROM copies)`)
  await db.query('CREATE INDEX ON template_events (session_id, seq)')
  await db.query('ANALYZE template_events')
  const { rows } = await db.query('SELECT day::text AS day FROM copies GROUP BY 1 ORDER BY 1')
  for (const { day } of rows)
    await db.query('SELECT signalbox_ensure_event_partition($1::date)', [day])
  return rows.map(({ day }) => day)
}

/** Copies the events of one partition in the order of its key, and returns their number. @param {import('pg').Client} db @param {string} day */
async function copyEvents(db, day) {
  const { names, values } = await readColumns(db, 'session_events')
  const { rowCount } = await db.query(
    `INSERT INTO session_events (${names}) SELECT ${values}
     FROM (SELECT * FROM copies WHERE day = $1::date ORDER BY "to") c
     CROSS JOIN LATERAL (SELECT * FROM template_events t WHERE t.session_id = c."from" ORDER BY t.seq) t`,
    [day],
  )
  return rowCount ?? 0
}

/**
 * @param {readonly import('pg').Client[]} connections
 * @param {readonly ((db: import('pg').Client) => Promise<unknown>)[]} steps
 */
async function inParallel(connections, steps) {
  const waiting = [...steps]
  await Promise.all(
    connections.map(async (db) => {
      for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) await step(db)
    }),
  )
}

const SERIES_ID = `left(encode(sha256(convert_to('[' || concat_ws(',', to_json(project_id), to_json(environment), to_json(ns),
  to_json(key), to_json(config_digest), to_json(kind), to_json(a), to_json(b), to_json(c)) || ']', 'UTF8')), 'hex'), 32)::uuid`

/** Each template has a UTC day of its own, so a count belongs to the template of its day. */
const TEMPLATE_DAYS = `SELECT s.id, date_trunc('day', s.started_at, 'UTC') AS day FROM sessions s
  WHERE s.id IN (SELECT "from" FROM copies)`

/** @param {import('pg').Client} db */
async function copyCounts(db) {
  const { rows } = await db.query(
    `SELECT count(*)::int AS wrong FROM rollup_series WHERE id <> ${SERIES_ID}`,
  )
  if (rows[0].wrong > 0) throw new Error('The ids of rollup_series are made in another way now.')
  // Matches the result of the nightly job: one row per series and hour, and one per UTC day for days older than five weeks.
  await db.query(
    `CREATE TEMP TABLE copied_counts AS
     WITH days AS (${TEMPLATE_DAYS}),
     counted AS (SELECT d.id, s.*, h.hour, sum(h.count) AS count FROM days d
       JOIN rollup_hours h ON h.hour >= d.day AND h.hour < d.day + interval '1 day' JOIN rollup_series s ON s.id = h.series_id
       GROUP BY d.id, s.id, h.hour)
     SELECT c.project AS project_id, c.environment, t.ns, t.key, t.config_digest, t.kind, t.a, t.b, t.c,
       CASE WHEN t.hour + c.shift < date_trunc('day', now() - interval '35 days', 'UTC')
         THEN date_trunc('day', t.hour + c.shift, 'UTC') ELSE t.hour + c.shift END AS hour, sum(t.count) AS count
     FROM copies c JOIN counted t (session, id, project_id, environment, ns, key, config_digest, kind, a, b, c, hour, count)
       ON t.session = c."from"
     GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10`,
  )
  await db.query(
    `INSERT INTO rollup_series (id, project_id, environment, ns, key, config_digest, kind, a, b, c)
     SELECT ${SERIES_ID}, * FROM (SELECT DISTINCT project_id, environment, ns, key, config_digest, kind, a, b, c
       FROM copied_counts) AS named ON CONFLICT (id) DO NOTHING`,
  )
  await db.query(
    `INSERT INTO rollup_hours (series_id, project_id, hour, shard, count)
     SELECT ${SERIES_ID} AS id, project_id, hour, 0, count FROM copied_counts ORDER BY id, hour`,
  )
  const minute = [
    'calls',
    'denied',
    'feedback',
    'warnings',
    'stops',
    'blocked',
    'bypassed',
    'sessions',
  ]
  await db.query(
    `INSERT INTO minute_counts (project_id, environment, minute, ${minute.join(', ')})
     SELECT c.project, c.environment, m.minute + c.shift, ${minute.map((name) => `sum(m.${name})`).join(', ')}
     FROM copies c JOIN (${TEMPLATE_DAYS}) d ON d.id = c."from"
       JOIN all_minute_counts m ON m.minute >= d.day AND m.minute < d.day + interval '1 day'
     GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
  )
  await db.query(
    `INSERT INTO activity_days (project_id, ns, key, day, kind, name, environment, count, last_at)
     SELECT c.project, a.ns, a.key, c.day, a.kind, a.name, c.environment, sum(a.count), max(a.last_at + c.shift)
     FROM copies c JOIN (${TEMPLATE_DAYS}) d ON d.id = c."from" JOIN all_activity_days a ON a.day = (d.day AT TIME ZONE 'UTC')::date
     GROUP BY 1, 2, 3, 4, 5, 6, 7`,
  )
}

/** Tables whose rows belong to a session; events are copied by day. */
const OF_SESSION = ['session_snapshots', 'stops', 'denials', 'deliveries', 'call_approvals']

/** Removes the templates and their counts, which no other session shares. @param {import('pg').Client} db */
async function removeTemplates(db) {
  // An array is looked up in each index; a set would be joined with every row.
  const templates = 'ANY(ARRAY(SELECT DISTINCT "from" FROM copies))'
  await db.query(`CREATE TEMP TABLE template_days AS ${TEMPLATE_DAYS}`)
  // A copy is younger than all templates, so most rows need no comparison with each day.
  const days = (/** @type {string} */ column) =>
    `${column} < (SELECT max(day) + interval '1 day' FROM template_days)
     AND EXISTS (SELECT 1 FROM template_days d WHERE ${column} >= d.day AND ${column} < d.day + interval '1 day')`
  await db.query(`DELETE FROM rollup_hours WHERE ${days('hour')}`)
  for (const table of ['minute_count_shards', 'minute_counts'])
    await db.query(`DELETE FROM ${table} WHERE ${days('minute')}`)
  for (const table of ['activity_day_shards', 'activity_days'])
    await db.query(
      `DELETE FROM ${table} WHERE day IN (SELECT (d.day AT TIME ZONE 'UTC')::date FROM template_days d)`,
    )
  for (const table of ['session_events', ...OF_SESSION])
    await db.query(`DELETE FROM ${table} WHERE session_id = ${templates}`)
  await db.query(`DELETE FROM sessions WHERE id = ${templates}`)
}

/** @param {readonly import('pg').Client[]} connections */
async function vacuum(connections) {
  const [db] = connections
  const tables =
    await db?.query(`SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
    ORDER BY pg_relation_size(oid) DESC`)
  await inParallel(
    connections,
    (tables?.rows ?? []).map(
      ({ name }) =>
        (one) =>
          one.query(`VACUUM (ANALYZE) "${name}"`),
    ),
  )
  // Its partitions are analyzed; planners also need the figures of the whole.
  await db?.query('ANALYZE ONLY session_events')
}

/**
 * @param {readonly [import('pg').Client, ...import('pg').Client[]]} connections each works on a part
 * @param {readonly Copy[]} copies
 * @param {(text: string) => void} say
 * @returns {Promise<number>} events
 */
export async function copySessions(connections, copies, say) {
  const [db] = connections
  for (const one of connections) {
    await one.query('SET synchronous_commit = off')
    await one.query("SET work_mem = '256MB'")
  }
  await plan(db, copies)
  let events = 0
  let reported = 0
  await inParallel(connections, [
    (one) => copyRows(one, 'sessions', 'id'),
    ...OF_SESSION.map((table) => (/** @type {import('pg').Client} */ one) => copyRows(one, table)),
    ...(await planEvents(db)).map((day) => async (/** @type {import('pg').Client} */ one) => {
      const more = await copyEvents(one, day)
      events += more
      if (events - reported < 1_000_000) return
      reported = events
      say(`${events.toLocaleString('en')} events`)
    }),
  ])
  say('sessions, stops and decisions')
  await copyCounts(db)
  say('counts')
  await removeTemplates(db)
  await db.query('DROP TABLE copies, template_events')
  await vacuum(connections)
  say('vacuumed')
  return events
}
