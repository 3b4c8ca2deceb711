// Each socket has one daemon; each session has its own engine.
import fs from 'node:fs'
import type { AddressInfo } from 'node:net'
import { HARNESSES } from '@signalbox/adapters'
import type { JsonObject } from '@signalbox/core'
import { type Guardrails, type OnDiagnostic, SDK_VERSION } from '@signalbox/runtime'
import { endWithAnswers, readErrorCode } from '@signalbox/runtime/base'
import { HookHost } from '@signalbox/runtime/harness'
import { Unusable } from '../base/io.ts'
import { describeConsole, describeRules } from '../base/rules-in-force.ts'
import { askHealth } from './ask-socket.ts'
import type { DaemonPaths } from './daemon-paths.ts'
import { type HookServerParts, hookServer } from './hook-server.ts'
import { sweepIdle } from './idle-sweep.ts'
import { CLOSING_MS, closed, type Listener, listening } from './listener.ts'
import { privateFolder, tokenIn } from './private-files.ts'
import { SessionKeeper } from './session-keeper.ts'
import { createShimSecrets, writeShimAddress } from './shim-address.ts'
import { shimServer } from './shim-server.ts'
import { isListening, listenInPlace, whileLocked } from './take-socket.ts'

export interface DaemonParts {
  readonly paths: DaemonPaths
  /** 0: any free port; null: no TCP. */
  readonly port: number | null
  readonly guardrails: Guardrails
  /** `ns/key`. */
  readonly prompt: string
  /** Milliseconds without a hook after which a session ends as aborted. */
  readonly idleMs: number
  /** Milliseconds after which a hook is refused. Absent: 45,000, or longer where an approval may take longer. */
  readonly limitMs?: number
  /** Milliseconds that `close` allows open requests. Absent: 10,000. */
  readonly closingMs?: number
  readonly report: OnDiagnostic
}

export interface Daemon {
  /** null: no TCP. */
  readonly port: number | null
  /** Sends recorded events. Sessions stay in their journals; the next daemon continues them. */
  close(): Promise<void>
}

const LIMIT_MS = 45_000
/** Shims wait for 595 s, harnesses for 600 s. */
const MOST_MS = 590_000
const MARGIN_MS = 5000

/** Throws Unusable when the daemon cannot run here, for example because another one does. */
export async function startDaemon(parts: DaemonParts): Promise<Daemon> {
  privateFolder(parts.paths.folder)
  return whileLocked(parts.paths.lock, () => startAlone(parts))
}

async function startAlone(parts: DaemonParts): Promise<Daemon> {
  const { paths, guardrails, report } = parts
  await refuseSecond(paths.socket)
  fs.mkdirSync(paths.sessions, { recursive: true, mode: 0o700 })
  const keeper = new SessionKeeper({ guardrails, folder: paths.sessions, report })
  const host = new HookHost({
    open: (key, options) => keeper.open(key, options),
    onEnd: (key) => keeper.ended(key),
    onDiagnostic: report,
  })
  const health = () => reportHealth(parts, host)
  const limitMs = () => parts.limitMs ?? limitFor(keeper.longestApprovalMs)
  const hooks = { host, harnesses: HARNESSES, health, limitMs }
  const listeners: Listener[] = []
  const closeListeners = () =>
    Promise.all(listeners.map((each) => closed(each, parts.closingMs ?? CLOSING_MS)))
  try {
    // A killed daemon leaves this file.
    fs.rmSync(paths.shimAddress, { force: true })
    const tcp = parts.port === null ? null : await listenOnPorts(listeners, hooks, parts)
    const removeSocket = await listenOnSocket(listeners, hooks, paths.socket)
    const stopSweeping = sweepIdle({
      idleMs: parts.idleMs,
      report,
      endIdle: (before) => Promise.all([host.endIdle(before), keeper.endIdle(before)]),
    })
    return {
      port: tcp?.port ?? null,
      close: async () => {
        stopSweeping()
        tcp?.removeShimAddress()
        await closeListeners()
        removeSocket()
        keeper.close()
        await guardrails.close()
      },
    }
  } catch (error) {
    await closeListeners()
    throw error
  }
}

function limitFor(approvalMs: number): number {
  return Math.min(MOST_MS, Math.max(LIMIT_MS, approvalMs === 0 ? 0 : approvalMs + MARGIN_MS))
}

function httpListener(hooks: HookServerParts, token: string | null): Listener {
  const server = hookServer(hooks, token)
  endWithAnswers(server)
  return { server, cut: () => server.closeAllConnections() }
}

/** Throws Unusable when a process listens on the socket, with that process's id. */
async function refuseSecond(socket: string): Promise<void> {
  if (!(await isListening(socket))) return
  const { pid = 'unknown' } = (await askHealth(socket)) ?? {}
  throw new Unusable(
    `A daemon is already running on ${socket} (process ${pid}). Stop it, or choose another socket with --socket.`,
  )
}

async function listenOnSocket(
  listeners: Listener[],
  hooks: HookServerParts,
  socket: string,
): Promise<() => void> {
  const listener = httpListener(hooks, null)
  return listenInPlace(socket, async (name) => {
    await listening(listener.server, () => listener.server.listen(name))
    listeners.push(listener)
  })
}

interface Tcp {
  readonly port: number
  readonly removeShimAddress: () => void
}

async function listenOnPorts(
  listeners: Listener[],
  hooks: HookServerParts,
  { paths, port }: Pick<DaemonParts, 'paths' | 'port'>,
): Promise<Tcp> {
  const listen = async (listener: Listener, wanted: number) => {
    await listening(listener.server, () => listener.server.listen(wanted, '127.0.0.1'))
    listeners.push(listener)
    // The server listens on TCP, so the address is never a path.
    return (listener.server.address() as AddressInfo).port
  }
  const http = httpListener(hooks, tokenIn(paths.token))
  const taken = await listen(http, port ?? 0).catch((error: unknown) => {
    const why = readErrorCode(error) === 'EADDRINUSE' ? 'it is in use' : readErrorCode(error)
    throw new Unusable(
      `The daemon cannot listen on 127.0.0.1:${port}: ${why}. Choose another with --port or SIGNALBOX_DAEMON_PORT, or turn HTTP off with --port off.`,
    )
  })
  const secrets = createShimSecrets()
  const door = await listen(shimServer(hooks, secrets), 0)
  return { port: taken, removeShimAddress: writeShimAddress(paths.shimAddress, door, secrets) }
}

function reportHealth({ guardrails, prompt }: DaemonParts, host: HookHost): JsonObject {
  const status = guardrails.status()
  const connection = describeConsole(status)
  return {
    pid: process.pid,
    version: SDK_VERSION,
    prompt,
    sessions: host.size,
    config:
      status === null
        ? { state: 'local' }
        : { state: status.state, revision: status.applied?.revision ?? null },
    rules: { ...describeRules(status, prompt) },
    console: connection && { ...connection },
  }
}
