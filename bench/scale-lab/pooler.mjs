// @ts-check
import { writePgBouncerConfig } from '../../scripts/pgbouncer-config.mjs'
import { freePort, until } from './lab.mjs'

/**
 * @param {import('./lab.mjs').Lab} lab
 * @param {string} databaseUrl
 */
export async function startPooler(lab, databaseUrl) {
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
  await until('PgBouncer', 10, () => lab.readLog('pgbouncer').includes('process up'))
  return url
}
