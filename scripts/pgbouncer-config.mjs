// @ts-check
import fs from 'node:fs'
import path from 'node:path'

/**
 * @param {{ folder: string, server: string, port: number, settings: readonly string[] }} pooler `server`: address of the database;
 * `settings`: further lines
 * @returns {{ file: string, url: string }}
 */
export function writePgBouncerConfig({ folder, server, port, settings }) {
  const { hostname, port: databasePort, username, password, pathname } = new URL(server)
  const name = pathname.slice(1)
  const file = path.join(folder, 'pgbouncer.ini')
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
${settings.join('\n')}
`,
  )
  return { file, url: `postgresql://${username}@127.0.0.1:${port}/${name}` }
}
