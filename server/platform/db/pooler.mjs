// @ts-check
// Behind a pooler in transaction mode, LISTEN is lost, session locks stay on another client's connection, prepared statements collide.
import { Failure } from '../base/failure.mjs'
import { connect } from './connect.mjs'

/** A pooler reuses its most recent connection first, so one more client suffices unless others use it at the same time. */
const CLIENTS = 4
/** A pool that is too small for `CLIENTS` makes them wait. */
const WAIT_MS = 3000

/** @param {import('pg').Client} client @returns {Promise<number>} */
async function readBackendPid(client) {
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid')
  return rows[0].pid
}

/**
 * True when two connected clients share a server connection, or one client's server connection changes.
 * @param {string} url @param {string} variable that holds it
 */
async function isShared(url, variable) {
  const first = await connect(url, variable)
  const others = []
  try {
    const backends = new Set([await readBackendPid(first)])
    while (others.length < CLIENTS) {
      const other = await connect(url, variable, { query_timeout: WAIT_MS })
      others.push(other)
      // The transaction holds the connection, so that the first client must get another one or wait.
      await other.query('BEGIN')
      if (backends.has(await readBackendPid(other))) return true
    }
    return !backends.has(await readBackendPid(first))
  } finally {
    await Promise.allSettled([first, ...others].map((client) => client.end()))
  }
}

/**
 * Throws when the address leads to a pooler in transaction mode.
 * @param {string} url
 * @param {boolean} isOnly no DATABASE_DIRECT_URL is set
 */
export async function refusePooler(url, isOnly) {
  const variable = isOnly ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL'
  if (!(await isShared(url, variable))) return
  throw new Failure(
    'badConfiguration',
    isOnly
      ? 'DATABASE_URL leads to a connection pooler in transaction mode. Set DATABASE_DIRECT_URL to the address of PostgreSQL itself; notifications, locks, migrations and jobs need it.'
      : 'DATABASE_DIRECT_URL leads to a connection pooler in transaction mode. Set it to the address of PostgreSQL itself, or of a pooler in session mode.',
  )
}
