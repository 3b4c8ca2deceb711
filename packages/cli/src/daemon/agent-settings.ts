// Settings of the agent protocol of a daemon: paths, addresses, tokens and folders.
import fs from 'node:fs'
import path from 'node:path'
import { readErrorCode } from '@signalbox/runtime/base'
import { Unusable } from '../base/io.ts'
import type { Surroundings } from '../base/surroundings.ts'
import { type DaemonPaths, socketPath } from './daemon-paths.ts'

export interface AgentOptions {
  readonly agentSocket?: string
  readonly listen?: string
  readonly tlsCert?: string
  readonly tlsKey?: string
  readonly behindTls?: true
  readonly tokenFile?: readonly string[]
  readonly root?: readonly string[]
  readonly maxSessions: string
}

export interface AgentPaths {
  readonly socket: string
  /** Exists while a daemon takes the socket. */
  readonly lock: string
  /** Folder with what the next daemon needs to continue sessions. */
  readonly sessions: string
  /** Folder in which clients report stops that they let through while no daemon answered. */
  readonly overridden: string
}

export interface TokenFile {
  readonly file: string
  /** Prompts that the token may open; null: all of the daemon. */
  readonly prompts: readonly string[] | null
}

export interface AgentListen {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** null: without TLS. */
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | null
}

export interface AgentSettings {
  readonly paths: AgentPaths
  /** null: no TCP. */
  readonly listen: AgentListen | null
  readonly tokens: readonly TokenFile[]
  /** Absolute folders below which workspaces lie. */
  readonly roots: readonly string[]
  readonly maxSessions: number
}

interface Daemon {
  readonly paths: DaemonPaths
  /** The daemon's socket is not the default one. */
  readonly isElsewhere: boolean
}

const ADDRESS = /^(\[[0-9a-f:.]+\]|[^:[\]]+):(\d{1,5})$/i
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/i

/** Throws Unusable with the missing or invalid setting. */
export function agentSettings(
  options: AgentOptions,
  daemon: Daemon,
  around: Surroundings,
): AgentSettings {
  const { tokenFile = [], root = [] } = options
  const inFolder = (file: string) => path.resolve(around.cwd, file)
  return {
    paths: agentPaths(options, daemon, around),
    listen: parseListen(options, around),
    tokens:
      tokenFile.length === 0
        ? [{ file: path.join(daemon.paths.folder, 'agent.token'), prompts: null }]
        : tokenFile.map((given) => {
            const { file, prompts } = parseTokenFile(given)
            return { file: inFolder(file), prompts }
          }),
    roots: root.length === 0 ? [around.cwd] : root.map(inFolder),
    maxSessions: parseMaxSessions(options.maxSessions),
  }
}

function agentPaths(
  { agentSocket }: AgentOptions,
  { paths, isElsewhere }: Daemon,
  { env, home, cwd }: Surroundings,
): AgentPaths {
  const shared = isElsewhere ? undefined : env['XDG_RUNTIME_DIR']
  const folder = shared ? path.join(shared, 'signalbox') : paths.folder
  const chosen = agentSocket ?? (env['SIGNALBOX_AGENT_SOCKET'] || path.join(folder, 'agent.sock'))
  const socket = socketPath(cwd, chosen, '--agent-socket')
  const state = env['XDG_STATE_HOME'] || path.join(home, '.local', 'state')
  return {
    socket,
    lock: `${socket}.lock`,
    sessions: path.join(paths.folder, `${path.parse(paths.socket).name}.agents`),
    overridden: path.join(state, 'signalbox', 'overridden'),
  }
}

function parseListen(options: AgentOptions, { cwd }: Surroundings): AgentListen | null {
  const { listen, tlsCert, tlsKey, behindTls = false } = options
  if (listen === undefined) return null
  const [, name = '', digits = ''] = ADDRESS.exec(listen) ?? []
  const port = Number(digits)
  if (name === '' || port > 65_535)
    throw new Unusable(`The address "${listen}" is invalid: use host:port, such as 127.0.0.1:4620.`)
  const host = name.replace(/^\[|\]$/g, '')
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw new Unusable('Use --tls-cert and --tls-key together.')
  if (tlsCert !== undefined && tlsKey !== undefined) {
    const read = (file: string) => readTlsFile(path.resolve(cwd, file))
    return { host, port, tls: { cert: read(tlsCert), key: read(tlsKey) } }
  }
  if (LOOPBACK.test(host) || behindTls) return { host, port, tls: null }
  throw new Unusable(
    `${listen} can be reached from other machines: use --tls-cert and --tls-key, or --behind-tls where something in front of the daemon ends TLS.`,
  )
}

function readTlsFile(file: string): Buffer {
  try {
    return fs.readFileSync(file)
  } catch (error) {
    throw new Unusable(`${file} cannot be read: ${readErrorCode(error)}.`)
  }
}

/** Parses `file` or `file=ns/key,ns/key`. */
function parseTokenFile(given: string): TokenFile {
  const at = given.lastIndexOf('=')
  if (at < 0) return { file: given, prompts: null }
  return { file: given.slice(0, at), prompts: given.slice(at + 1).split(',') }
}

function parseMaxSessions(text: string): number {
  const count = Number(text)
  if (/^\d{1,6}$/.test(text) && count > 0) return count
  throw new Unusable(`The number of sessions "${text}" is invalid: use 1 to 999999.`)
}
