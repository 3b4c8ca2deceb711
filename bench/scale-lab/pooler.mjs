// @ts-check
// PgBouncer in transaction mode in front of the HA database.
import fs from 'node:fs'
import path from 'node:path'
import { freePort, until } from './lab.mjs'

/**
 * Resolves with the address of the database through the pooler.
 * @param {import('./lab.mjs').Lab} lab
 * @param {string} databaseUrl
 */
export async function startPooler(lab, databaseUrl) {
  const port = await freePort()
  const { hostname, port: databasePort, username, password, pathname } = new URL(databaseUrl)
  const name = pathname.slice(1)
  const file = path.join(lab.folder, 'pgbouncer.ini')
  const log = path.join(lab.folder, 'pgbouncer.log')
  fs.writeFileSync(
    file,
    `[databases]
${name} = host=${hostname} port=${databasePort} dbname=${name} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 20
max_client_conn = 500
; Without a primary it would wait for 15 seconds before it tries again.
server_login_retry = 1
`,
  )
  lab.start('pgbouncer', 'pgbouncer', [file])
  await until('PgBouncer', 10, () => fs.readFileSync(log, 'utf8').includes('process up'))
  return `postgresql://${username}@127.0.0.1:${port}/${name}`
}
