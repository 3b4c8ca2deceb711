// @ts-check
// Writes only into `folder`, and nothing at all with DATABASE_URL and either SIGNALBOX_SECRET or every secret set.
import path from 'node:path'
import pg from 'pg'
import { migrate } from '../server/platform/db/migrate.mjs'
import { refusePooler } from '../server/platform/db/pooler.mjs'
import { ROOT } from './build-steps.mjs'
import { openSecrets } from './secrets.mjs'

/** @typedef {import('./read-variables.mjs').Given} Given */

export const MIGRATIONS = path.join(ROOT, 'prisma/migrations')

/**
 * @typedef {object} Database
 * @property {string} url for requests; may lead through a pooler
 * @property {string} directUrl for notifications, locks, migrations and jobs
 * @property {() => Promise<void>} close stops the embedded database
 */

/**
 * @param {{ variables: Given, folder: string, report?: (line: string) => void }} options `report` is called when the embedded database ends
 * and when it is back
 * @returns {Promise<Database>}
 */
export async function openDatabase({ variables, folder, report }) {
  const url = variables['DATABASE_URL']
  if (url === undefined) {
    const { startEmbedded } = await import('../server/platform/db/embedded.mjs')
    const database = await startEmbedded({
      dataDir: folder,
      ...(report === undefined ? {} : { keepRunning: report }),
    })
    // A running database belongs to the process that started it, unless this one takes over.
    const isOurs = report !== undefined || !database.isAdopted
    return {
      url: database.url,
      directUrl: database.url,
      close: () => (isOurs ? database.stop() : Promise.resolve()),
    }
  }
  const directUrl = variables['DATABASE_DIRECT_URL'] ?? url
  await refusePooler(directUrl, variables['DATABASE_DIRECT_URL'] === undefined)
  return { url, directUrl, close: () => Promise.resolve() }
}

/**
 * Closes the database when a migration fails. `applied`: migrations that this call applied.
 * @param {{ variables: Given, folder: string, report?: (line: string) => void }} options
 */
export async function openMigrated(options) {
  const database = await openDatabase(options)
  try {
    const applied = await migrate({ url: database.directUrl, folder: MIGRATIONS })
    return { ...database, applied }
  } catch (error) {
    await database.close()
    throw error
  }
}

/**
 * @template Result
 * @param {string} url
 * @param {(client: pg.Client) => Promise<Result>} work
 */
export async function withClient(url, work) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/**
 * @param {{ variables: Given, folder: string, report?: (line: string) => void }} options
 * @returns {Promise<Database & { env: Readonly<Record<string, string>> }>} `env`: the server's variables except SIGNALBOX_URL
 */
export async function openInstallation(options) {
  const { variables, folder } = options
  const database = await openMigrated(options)
  try {
    // Those of an installation are the same in all of its cells.
    const secrets = await withClient(
      variables['SIGNALBOX_DIRECTORY_URL'] ?? database.directUrl,
      (client) => openSecrets(client, { variables, folder }),
    )
    // The server does not need the keys of its secrets and backups.
    const {
      SIGNALBOX_SECRET: _,
      SIGNALBOX_NEW_SECRET: __,
      SIGNALBOX_BACKUP_PASSPHRASE: ___,
      ...others
    } = variables
    const env = {
      ...others,
      ...secrets,
      DATABASE_URL: database.url,
      DATABASE_DIRECT_URL: database.directUrl,
      SIGNALBOX_DATA_DIR: folder,
      NEXT_TELEMETRY_DISABLED: '1',
      BETTER_AUTH_TELEMETRY: '0',
    }
    return { ...database, env }
  } catch (error) {
    await database.close()
    throw error
  }
}
