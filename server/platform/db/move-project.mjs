// @ts-check
// Events are copied first, in passes, because they never change. Then triggers refuse writes, the rest is copied in one transaction and
// compared, and writes go to the other database. Until that commit a failure leaves the project where it was (decision 67).
import { finished, pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { Failure } from '../base/failure.mjs'
import { MAIN_CELL } from '../base/variables.mjs'
import { appliedMigrations, listTables } from './table-copy.mjs'

/** @typedef {import('pg').Client} Client */
/** @typedef {import('./table-copy.mjs').Table} Table */

/**
 * @typedef {object} Move
 * @property {Client} source
 * @property {Client} target
 * @property {string} projectId
 */

const EVENTS = 'public.session_events'
/** Only the directory has these rows. */
const DIRECTORY = ['public.invitations', 'public.key_places', 'public.removed_addresses']
/** The directory has these rows, and the cell a copy. */
const MEMBERSHIPS = 'public.memberships'
const SESSIONS = 500
/** A pass that copied fewer sessions is the last before writes are refused. */
const FEW_SESSIONS = 50
const MOST_PASSES = 8
/** Shorter than deadlock detection, so that no writer is its victim. */
const LOCK_WITHIN_MS = 500
const LOCK_ATTEMPTS = 60
const LOCK_NOT_AVAILABLE = '55P03'

const JOB_ROWS = {
  scheduleId: 'scheduled_releases',
  deliveryId: 'alert_deliveries',
  backtestId: 'backtests',
}
const JOBS = `
  SELECT j.id, t.identifier, j.payload::text AS payload, j.run_at, j.max_attempts, j.key
  FROM graphile_worker._private_jobs j JOIN graphile_worker._private_tasks t ON t.id = j.task_id
  WHERE j.payload ->> 'projectId' = $1 ${Object.entries(JOB_ROWS)
    .map(
      ([field, table]) =>
        `OR j.payload ->> '${field}' IN (SELECT id FROM ${table} WHERE project_id = $1)`,
    )
    .join(' ')}`

/**
 * Tables of a cell with rows of the project, each after those that it references.
 * @param {Client} client
 */
async function listProjectTables(client) {
  return (await listTables(client)).filter(
    ({ name, columns }) =>
      name.startsWith('public.') && columns.includes('project_id') && !DIRECTORY.includes(name),
  )
}

/** @param {Move} move @param {string} query @param {{ name: string, columns: readonly string[] }} into */
async function copyQuery({ source, target }, query, { name, columns }) {
  const rows = source.query(copyTo(`COPY (${query}) TO STDOUT`))
  const into = target.query(copyFrom(`COPY ${name} (${columns.join(', ')}) FROM STDIN`))
  try {
    await pipeline(rows.iterator({ destroyOnReturn: false }), into)
  } catch (error) {
    // The connection can be used again once it has sent all rows.
    rows.resume()
    await finished(rows).catch(() => undefined)
    throw error
  }
}

/** @param {readonly string[]} texts */
const formatArray = (texts) =>
  `ARRAY[${texts.map((text) => pg.escapeLiteral(text)).join(', ')}]::text[]`

/** @param {Table} table @param {string} projectId */
function selectRows({ name, columns }, projectId) {
  return `SELECT ${columns.join(', ')} FROM ${name} WHERE project_id = ${pg.escapeLiteral(projectId)}`
}

/**
 * Copies the events of each session whose row changed since they were copied, which every batch of events does. Returns the number of
 * sessions.
 * @param {Move} move @param {Table} events
 */
async function copyEvents(move, events) {
  const { target, projectId } = move
  await target.query('TRUNCATE found_sessions')
  // Before the events, so that an event that arrives meanwhile changes the version.
  await copyQuery(
    move,
    `SELECT id, xmin::text, to_char(partition_day, 'YYYY-MM-DD') FROM sessions WHERE project_id = ${pg.escapeLiteral(projectId)}`,
    { name: 'found_sessions', columns: ['id', 'version', 'day'] },
  )
  const { rows } = await target.query(
    `SELECT coalesce(f.day, c.day) AS day, array_agg(coalesce(f.id, c.id)) AS ids
     FROM found_sessions f FULL JOIN copied_sessions c ON c.id = f.id WHERE f.version IS DISTINCT FROM c.version
     GROUP BY 1 ORDER BY 1`,
  )
  let copied = 0
  for (const { day, ids } of rows) {
    await target.query('SELECT signalbox_ensure_event_partition($1)', [day])
    for (let from = 0; from < ids.length; from += SESSIONS) {
      const some = ids.slice(from, from + SESSIONS)
      const where = `partition_day = ${pg.escapeLiteral(day)} AND session_id = ANY (${formatArray(some)})`
      await target.query(`DELETE FROM ${EVENTS} WHERE ${where}`)
      await copyQuery(move, `${selectRows(events, projectId)} AND ${where}`, events)
      copied += some.length
    }
  }
  await target.query('TRUNCATE copied_sessions')
  await target.query('INSERT INTO copied_sessions SELECT * FROM found_sessions')
  return copied
}

/** Waits until no transaction that wrote to the tables is open. @param {Client} client @param {readonly Table[]} tables */
async function lockTables(client, tables) {
  const names = tables.map(({ name }) => name).join(', ')
  for (let attempt = 1; ; attempt++) {
    await client.query(`BEGIN; SET LOCAL lock_timeout = ${LOCK_WITHIN_MS}`)
    try {
      await client.query(`LOCK TABLE ${names} IN SHARE ROW EXCLUSIVE MODE`)
      return
    } catch (error) {
      await client.query('ROLLBACK')
      const isLate = error instanceof Error && 'code' in error && error.code === LOCK_NOT_AVAILABLE
      if (!isLate) throw error
      if (attempt === LOCK_ATTEMPTS) {
        throw new Failure(
          'databaseUnreachable',
          'Other transactions keep tables of the project locked. End long ones, or try again later.',
        )
      }
      // Lets the writers go on that waited behind this one.
      await sleep(LOCK_WITHIN_MS)
    }
  }
}

/** Names of the triggers that refuse writes and removals. They run before all others, which is in order of names. @param {string} projectId */
function refusals(projectId) {
  return {
    write: pg.escapeIdentifier(`a_moving_${projectId}`),
    removal: pg.escapeIdentifier(`a_moving_away_${projectId}`),
  }
}

/** From its return on, no transaction writes to the project. @param {Move} move @param {readonly Table[]} tables */
async function refuseWrites({ source, projectId }, tables) {
  const id = pg.escapeLiteral(projectId)
  const { write, removal } = refusals(projectId)
  await lockTables(source, tables)
  for (const { name } of tables) {
    await source.query(
      `CREATE OR REPLACE TRIGGER ${write} BEFORE INSERT OR UPDATE ON ${name} FOR EACH ROW
         WHEN (NEW.project_id = ${id}) EXECUTE FUNCTION signalbox_refuse_moving();
       CREATE OR REPLACE TRIGGER ${removal} BEFORE DELETE ON ${name} FOR EACH ROW
         WHEN (OLD.project_id = ${id}) EXECUTE FUNCTION signalbox_refuse_moving()`,
    )
  }
  await source.query('COMMIT')
}

/** @param {Pick<Move, 'source' | 'projectId'>} move @returns {Promise<boolean>} */
async function refusesWrites({ source, projectId }) {
  const { rowCount } = await source.query('SELECT 1 FROM pg_trigger WHERE tgname = $1 LIMIT 1', [
    `a_moving_${projectId}`,
  ])
  return rowCount === 1
}

/** @param {Pick<Move, 'source' | 'projectId'>} move @param {readonly Table[]} tables */
async function allowWrites({ source, projectId }, tables) {
  const { write, removal } = refusals(projectId)
  await lockTables(source, tables)
  for (const { name } of tables) {
    await source.query(
      `DROP TRIGGER IF EXISTS ${write} ON ${name}; DROP TRIGGER IF EXISTS ${removal} ON ${name}`,
    )
  }
  await source.query('COMMIT')
}

/**
 * Rows that the copy must have. Events are found by their sessions, because no index has their project; jobs may remove those that an archive holds,
 * or that retention has marked, at any time.
 * @param {Table} table @param {string} projectId
 */
function selectCompared(table, projectId) {
  if (table.name !== EVENTS) return selectRows(table, projectId)
  return `SELECT ${table.columns.map((column) => `e.${column}`).join(', ')}
    FROM sessions s JOIN ${EVENTS} e ON e.session_id = s.id AND e.partition_day = s.partition_day
    WHERE s.project_id = ${pg.escapeLiteral(projectId)} AND s.events_removed_at IS NULL AND s.archived_at IS NULL`
}

/**
 * Number and checksum of the project's rows in each table, in any order of rows.
 * @param {Client} client @param {readonly Table[]} tables @param {string} projectId
 */
async function sumRows(client, tables, projectId) {
  await client.query("SET TimeZone = 'UTC'")
  const sums = tables.map(
    (table) =>
      `SELECT ${pg.escapeLiteral(table.name)} AS name, count(*) AS rows,
         coalesce(sum(('x' || left(md5(r::text), 16))::bit(64)::bigint::numeric), 0) AS sum
       FROM (${selectCompared(table, projectId)}) r`,
  )
  const { rows } = await client.query(sums.join(' UNION ALL '))
  return new Map(rows.map(({ name, rows: count, sum }) => [name, `${count} rows, sum ${sum}`]))
}

/** The project itself and its members. The target has them already when it is the directory. @param {Move} move */
async function copyPeople(move) {
  const id = pg.escapeLiteral(move.projectId)
  for (const [table, where] of [
    ['projects', `id = ${id}`],
    ['users', `id IN (SELECT user_id FROM memberships WHERE project_id = ${id})`],
    ['memberships', `project_id = ${id}`],
  ]) {
    await move.target.query(`CREATE TEMP TABLE copied (LIKE ${table}) ON COMMIT DROP`)
    const { rows } = await move.target.query(
      `SELECT array_agg(quote_ident(attname) ORDER BY attnum) AS columns FROM pg_attribute
       WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
      [table],
    )
    const columns = rows[0].columns
    await copyQuery(move, `SELECT ${columns.join(', ')} FROM ${table} WHERE ${where}`, {
      name: 'copied',
      columns,
    })
    await move.target.query(
      `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${columns.join(', ')} FROM copied ON CONFLICT DO NOTHING; DROP TABLE copied`,
    )
  }
}

/** @param {Move} move */
async function copyJobs({ source, target, projectId }) {
  const { rows } = await source.query(JOBS, [projectId])
  for (const { identifier, payload, run_at: runAt, max_attempts: attempts, key } of rows) {
    await target.query(
      `SELECT graphile_worker.add_job(identifier => $1, payload => $2::json, run_at => $3, max_attempts => $4, job_key => $5)`,
      [identifier, payload, runAt, attempts, key],
    )
  }
}

/** Copies all but the events of unchanged sessions, and compares. @param {Move} move @param {readonly Table[]} tables @param {Table} events */
async function finishCopy(move, tables, events) {
  const { source, target, projectId } = move
  await target.query('BEGIN')
  try {
    await target.query("SELECT set_config('signalbox.moved_project', $1, true)", [projectId])
    await copyEvents(move, events)
    await copyPeople(move)
    for (const table of tables) {
      if (table.name === EVENTS || table.name === MEMBERSHIPS) continue
      await copyQuery(move, selectRows(table, projectId), table)
    }
    await copyJobs(move)
    // The directory may have memberships that a cell does not know yet.
    const compared = tables.filter(({ name }) => name !== MEMBERSHIPS)
    const [here, there] = await Promise.all(
      [source, target].map((client) => sumRows(client, compared, projectId)),
    )
    const differing = compared.filter(({ name }) => here?.get(name) !== there?.get(name))
    if (differing.length > 0) {
      throw new Failure(
        'migrationFailed',
        `The copy differs in ${differing.map(({ name }) => name).join(', ')}. The project stays where it is.`,
      )
    }
    await target.query('COMMIT')
  } catch (error) {
    await target.query('ROLLBACK')
    throw error
  }
}

/** @param {Move} move */
async function prepare({ source, target, projectId }) {
  const [here, there] = [await appliedMigrations(source), await appliedMigrations(target)]
  if (here.join() !== there.join()) {
    throw new Failure(
      'badConfiguration',
      'The databases have different migrations. Migrate both to the same build first.',
    )
  }
  // Held until the connection ends.
  const { rows } = await source.query('SELECT pg_try_advisory_lock(hashtext($1)) AS held', [
    `move ${projectId}`,
  ])
  if (!rows[0].held) throw new Failure('badConfiguration', 'Another command moves this project.')
  await target.query(
    `CREATE TEMP TABLE IF NOT EXISTS found_sessions (id text PRIMARY KEY, version text, day text);
     CREATE TEMP TABLE IF NOT EXISTS copied_sessions (LIKE found_sessions INCLUDING ALL);
     TRUNCATE copied_sessions`,
  )
}

/**
 * True when an earlier call was interrupted after its commit. Throws for rows that an earlier move left in the target, and when the source has
 * no such project.
 * @param {Move} move
 */
async function isCopied(move) {
  /** @param {Client} client */
  const holds = async (client) => {
    const { rowCount } = await client.query(
      'SELECT 1 FROM environments WHERE project_id = $1 LIMIT 1',
      [move.projectId],
    )
    return rowCount === 1
  }
  if (!(await holds(move.source))) {
    throw new Failure('badConfiguration', 'The database at DATABASE_URL does not have the project.')
  }
  if (!(await holds(move.target))) return false
  if (await refusesWrites(move)) return true
  throw new Failure(
    'targetNotEmpty',
    'The target still has rows of the project, which left it. Run the command that moved it away again: it removes them.',
  )
}

/**
 * Copies the project. `activate` makes processes use the target; it runs once the copy is complete, while writes are refused.
 * @param {Move} move
 * @param {{ activate: () => Promise<void>, report?: (line: string) => void }} options
 * @returns {Promise<{ refusedMs: number }>} time for which writes were refused
 */
export async function moveProject(move, { activate, report = () => undefined }) {
  await prepare(move)
  const tables = await listProjectTables(move.source)
  const events = tables.find(({ name }) => name === EVENTS)
  if (events === undefined) throw new Error(`There is no table ${EVENTS}.`)
  let refusedAt = performance.now()
  if (await isCopied(move)) {
    report('An earlier call copied the project and was interrupted.')
  } else {
    for (let pass = 1, left = Infinity; left >= FEW_SESSIONS && pass <= MOST_PASSES; pass++) {
      left = await copyEvents(move, events)
      report(`pass ${pass}: events of ${left} sessions`)
    }
    refusedAt = performance.now()
    await refuseWrites(move, tables)
    try {
      await finishCopy(move, tables, events)
    } catch (error) {
      await allowWrites(move, tables)
      throw error
    }
  }
  await activate()
  // Members are changed in the directory, whose rows of the project stay.
  await allowWrites(
    move,
    tables.filter(({ name }) => name === MEMBERSHIPS),
  )
  return { refusedMs: performance.now() - refusedAt }
}

/**
 * @param {Client} directory
 * @param {Pick<Move, 'source' | 'projectId'>} move
 * @param {string} cell
 */
export async function activateCell(directory, { source, projectId }, cell) {
  const { rows } = await source.query('SELECT prefix FROM api_keys WHERE project_id = $1', [
    projectId,
  ])
  await directory.query('BEGIN')
  await directory.query(
    'INSERT INTO key_places (prefix, project_id) SELECT unnest($1::text[]), $2 ON CONFLICT DO NOTHING',
    [rows.map(({ prefix }) => prefix), projectId],
  )
  await directory.query('UPDATE projects SET cell = $2 WHERE id = $1', [
    projectId,
    cell === MAIN_CELL ? null : cell,
  ])
  await directory.query('COMMIT')
}

/**
 * Removes the project from the database that it left. Call it once no process serves the project from there. May be interrupted and called
 * again. Throws where writes are not refused, because that database is in use.
 * @param {Pick<Move, 'source' | 'projectId'>} move
 * @param {{ isDirectory: boolean }} options the source is also the directory, which keeps project and members
 */
export async function removeMoved({ source, projectId }, { isDirectory }) {
  if (!(await refusesWrites({ source, projectId }))) {
    throw new Failure('badConfiguration', 'The project did not leave the database at DATABASE_URL.')
  }
  const tables = await listProjectTables(source)
  const removed = tables.filter(
    ({ name }) => name !== EVENTS && (!isDirectory || name !== MEMBERSHIPS),
  )
  await source.query("SELECT set_config('signalbox.moved_project', $1, false)", [projectId])
  const { rows: jobs } = await source.query(JOBS, [projectId])
  await source.query('SELECT graphile_worker.complete_jobs($1::bigint[])', [
    jobs.map(({ id }) => id),
  ])
  const { rows: days } = await source.query(
    'SELECT DISTINCT partition_day::text AS day FROM sessions WHERE project_id = $1',
    [projectId],
  )
  for (const { day } of days) {
    await source.query(`DELETE FROM ${EVENTS} WHERE project_id = $1 AND partition_day = $2`, [
      projectId,
      day,
    ])
  }
  // At once, because jobs of this cell would remove files of the archive that have rows of segments and none of sessions.
  await source.query('BEGIN')
  for (const { name } of removed.toReversed()) {
    await source.query(`DELETE FROM ${name} WHERE project_id = $1`, [projectId])
  }
  await source.query('COMMIT')
  if (!isDirectory) await source.query('DELETE FROM projects WHERE id = $1', [projectId])
  await source.query("SELECT set_config('signalbox.moved_project', '', false)")
  await allowWrites({ source, projectId }, tables)
}
