// @ts-check
// PgBouncer in transaction mode in front of the HA database.
import fs from 'node:fs'
import path from 'node:path'
import { writePgBouncerConfig } from '../../scripts/pgbouncer-config.mjs'
import { freePort, until } from './lab.mjs'

/**
 * Resolves with the address of the database through the pooler.
 * @param {import('./lab.mjs').Lab} lab
 * @param {string} databaseUrl
 */
export async function startPooler(lab, databaseUrl) {
  const log = path.join(lab.folder, 'pgbouncer.log')
  const { file, url } = writePgBouncerConfig({
    folder: lab.folder,
    server: databaseUrl,
    port: await freePort(),
    settings: [
      'default_pool_size = 20',
      'max_client_conn = 500',
      '; Without a primary it would wait for 15 seconds before it tries again, and let requests wait for two minutes.',
      'server_login_retry = 1',
      'query_wait_timeout = 10',
    ],
  })
  lab.start('pgbouncer', 'pgbouncer', [file])
  await until('PgBouncer', 10, () => fs.readFileSync(log, 'utf8').includes('process up'))
  return url
}
