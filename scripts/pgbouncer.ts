// Starts PgBouncer in transaction mode in front of a database, for tests.
import fs from 'node:fs'
import path from 'node:path'
import { type ProcessGroup, said } from './product-process.ts'

const PROGRAM = '/usr/sbin/pgbouncer'

export function hasPgBouncer(): boolean {
  return fs.existsSync(PROGRAM)
}

/**
 * Resolves with the database's address through the pooler. `folder` must be open to every account, because the pooler does not run as root.
 */
export async function startPgBouncer(
  processes: ProcessGroup,
  options: { readonly folder: string; readonly server: string; readonly port: number },
): Promise<string> {
  const { folder, port } = options
  const server = new URL(options.server)
  fs.mkdirSync(folder, { recursive: true, mode: 0o755 })
  const file = path.join(folder, 'pgbouncer.ini')
  const { hostname, username, password } = server
  const name = server.pathname.slice(1)
  fs.writeFileSync(
    file,
    `[databases]
${name} = host=${hostname} port=${server.port} dbname=${name} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 8
max_client_conn = 100
${process.getuid?.() === 0 ? 'user = nobody' : ''}
`,
  )
  const pooler = processes.startProgram(PROGRAM, [file])
  await said(pooler, /process up/)
  return `postgresql://${username}@127.0.0.1:${port}/${name}`
}
