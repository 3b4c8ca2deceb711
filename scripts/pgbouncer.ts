import fs from 'node:fs'
import { writePgBouncerConfig } from './pgbouncer-config.mjs'
import { type ProcessGroup, said } from './product-process.ts'

const PROGRAM = '/usr/sbin/pgbouncer'

export function hasPgBouncer(): boolean {
  return fs.existsSync(PROGRAM)
}

/** `folder` must be open to every account, because the pooler does not run as root. */
export async function startPgBouncer(
  processes: ProcessGroup,
  options: { readonly folder: string; readonly server: string; readonly port: number },
): Promise<string> {
  fs.mkdirSync(options.folder, { recursive: true, mode: 0o755 })
  const account = process.getuid?.() === 0 ? ['user = nobody'] : []
  const settings = ['default_pool_size = 8', 'max_client_conn = 100', ...account]
  const { file, url } = writePgBouncerConfig({ ...options, settings })
  const pooler = processes.startProgram(PROGRAM, [file])
  await said(pooler, /process up/)
  return url
}
