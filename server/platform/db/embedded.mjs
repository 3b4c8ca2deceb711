// @ts-check
// Real PostgreSQL from npm in a process of its own, with data that survives kill -9. The server itself knows only DATABASE_URL.
import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { Failure, isDiskFull } from '../base/failure.mjs'
import { accountFor } from './embedded/account.mjs'
import { binariesFor, canReach, systemStateDir } from './embedded/binaries.mjs'
import { buildDatabaseUrl, initialize, start, stop } from './embedded/cluster.mjs'
import { watch } from './embedded/watch.mjs'

/**
 * @typedef {object} EmbeddedDatabase
 * @property {string} url address of the database `signalbox`
 * @property {(database: string) => string} urlFor address of another database on the same server
 * @property {number} pid process id of the postmaster, which changes when it is restarted
 * @property {boolean} isAdopted another process started it, and it was still running
 * @property {() => Promise<void>} stop
 */

/**
 * Starts the database whose data belongs to `dataDir`, or adopts it if it still runs. As root, if the account that runs PostgreSQL cannot
 * enter `dataDir`, data and programs are in the system's state folder, under a name derived from `dataDir`.
 * @param {{ dataDir: string, durable?: boolean, keepRunning?: (line: string) => void }} options `durable: false` only in tests;
 *   `keepRunning`: start it again whenever it ends, and report that in a line
 * @returns {Promise<EmbeddedDatabase>}
 */
export async function startEmbedded({ dataDir, durable = true, keepRunning }) {
  try {
    const { stateDir, reachable, ...place } = resolveClusterPlace(dataDir)
    fs.mkdirSync(place.root, { recursive: true })
    fs.chmodSync(place.root, 0o755)
    if (!reachable) fs.chmodSync(stateDir, 0o755)
    const cluster = { ...place, binaries: binariesFor(place.account, stateDir), durable }
    initialize(cluster)
    const { pid, port, access, isAdopted } = await start(cluster)
    const urlFor = (/** @type {string} */ database) => buildDatabaseUrl(access, port, database)
    await ensureDatabase(urlFor('postgres'), 'signalbox')
    const stopServer =
      keepRunning === undefined
        ? () => stop(pid)
        : watch(cluster, { pid, port, report: keepRunning })
    return { url: urlFor('signalbox'), urlFor, pid, isAdopted, stop: stopServer }
  } catch (error) {
    if (!(error instanceof Failure) && isDiskFull(error)) {
      throw new Failure(
        'diskFull',
        'The disk is full, so the database cannot be started. Free some space and start again.',
      )
    }
    throw error
  }
}

/** @param {string} dataDir */
function resolveClusterPlace(dataDir) {
  const cluster = path.join(dataDir, 'postgres', 'pg18')
  const account = accountFor(cluster)
  const reachable = account === null || canReach(dataDir, account)
  if (!reachable && fs.existsSync(cluster)) {
    // Otherwise a new, empty database would be created elsewhere.
    throw new Failure(
      'dataFolderBroken',
      `The account that PostgreSQL runs as (user ${account.uid}, group ${account.gid}) may not enter ${dataDir}, where the database is. Let it pass: chgrp ${account.gid} ${dataDir} && chmod 710 ${dataDir}.`,
    )
  }
  const stateDir = systemStateDir()
  const name = crypto.createHash('sha256').update(path.resolve(dataDir)).digest('hex').slice(0, 16)
  const root = reachable ? path.join(dataDir, 'postgres') : path.join(stateDir, name)
  return { account, reachable, stateDir, root }
}

/** Folder of the database whose data belongs to `dataDir`; null: there is none. @param {string} dataDir */
export function embeddedFolder(dataDir) {
  const { root } = resolveClusterPlace(dataDir)
  return fs.existsSync(root) && fs.readdirSync(root).length > 0 ? root : null
}

/** @param {string} url @param {string} name */
async function ensureDatabase(url, name) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name])
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`)
  } finally {
    await client.end()
  }
}
