// All files are beside the socket, in a folder that only its user can enter.
import path from 'node:path'
import { Unusable } from '../base/io.ts'
import type { Surroundings } from '../base/surroundings.ts'

export interface DaemonPaths {
  readonly folder: string
  readonly socket: string
  /** Every command finds the socket without an option or a variable. */
  readonly isDefault: boolean
  readonly lock: string
  readonly token: string
  readonly shimAddress: string
  readonly sessions: string
  readonly shim: string
}

/** The kernel limits a socket's name to 108 bytes with its terminator; macOS to 104. */
const MAX_SOCKET_BYTES = 103

/** `socket` null: the default socket. Throws Unusable when the path is too long for a socket. */
export function daemonPaths(
  socket: string | null,
  { env, home, cwd }: Pick<Surroundings, 'env' | 'home' | 'cwd'>,
): DaemonPaths {
  const state = env['XDG_STATE_HOME'] || path.join(home, '.local', 'state')
  const usual = path.join(state, 'signalbox', 'daemon.sock')
  const file = socketPath(cwd, socket ?? (env['SIGNALBOX_SOCKET'] || usual), '--socket')
  const folder = path.dirname(file)
  const base = path.join(folder, path.parse(file).name)
  return {
    folder,
    socket: file,
    isDefault: file === path.resolve(cwd, usual),
    lock: `${base}.lock`,
    token: `${base}.token`,
    shimAddress: `${base}.door`,
    sessions: `${base}.sessions`,
    shim: `${base}-hook`,
  }
}

/** Absolute path. `option`: the one that chooses another path. Throws Unusable when it is too long for a socket. */
export function socketPath(cwd: string, chosen: string, option: string): string {
  const file = path.resolve(cwd, chosen)
  if (Buffer.byteLength(file) <= MAX_SOCKET_BYTES) return file
  throw new Unusable(
    `The socket path ${file} is longer than ${MAX_SOCKET_BYTES} bytes. Choose a shorter one with ${option}.`,
  )
}

/** For a person whose hooks find no daemon. */
export function startCommand({
  socket,
  isDefault,
}: Pick<DaemonPaths, 'socket' | 'isDefault'>): string {
  const chosen = isDefault ? '' : ` --socket ${socket}`
  return `signalbox daemon${chosen} --url <address> --prompt <ns/key>`
}
