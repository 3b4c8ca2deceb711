// The agent protocol of a daemon: one server for all prompts, on a socket and, if asked for, on TCP. Each prompt keeps its own journals.
import fs from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import type { Guardrails, OnDiagnostic } from '@signalbox/runtime'
import {
  type AgentPrompt,
  type AgentServer,
  type AgentToken,
  createAgentServer,
} from '@signalbox/runtime/agent-server'
import { endWithAnswers, readErrorCode } from '@signalbox/runtime/base'
import { Unusable } from '../base/io.ts'
import type { AgentSettings, TokenFile } from './agent-settings.ts'
import { sweepIdle } from './idle-sweep.ts'
import { CLOSING_MS, closed, type Listener, listening } from './listener.ts'
import { privateFolder, tokenIn } from './private-files.ts'
import { SessionKeeper } from './session-keeper.ts'
import { isListening, listenInPlace, whileLocked } from './take-socket.ts'

export interface ServedPrompt {
  readonly guardrails: Guardrails
  /** Address of the control plane; null: the rules are from a file. */
  readonly url: string | null
}

export interface AgentParts extends AgentSettings {
  /** By `ns/key`. */
  readonly prompts: ReadonlyMap<string, ServedPrompt>
  /** Milliseconds without a request after which a session ends as aborted. */
  readonly idleMs: number
  readonly report: OnDiagnostic
}

export interface Agents {
  /** Address over TCP; null: none. */
  readonly address: string | null
  /** Stops listening. Sessions stay in their journals; the next daemon continues them. */
  close(): Promise<void>
}

/** Clients wait for 5 s, and a session may open without a config. */
const READY_MS = 3000
/** A journal without a record is not continued after this time: its daemon ended before a client knew of the session. */
const UNKNOWN_MS = 60_000
/** Idle connections of clients stay open for this time. */
const KEEP_ALIVE_MS = 75_000
/** Connections per listener for each session that may be open, and at least so many: clients with threads have one per thread. */
const SESSION_CONNECTIONS = 4
const FEWEST_CONNECTIONS = 64

/** Throws Unusable when the addresses cannot be used, for example because another daemon has them. */
export async function startAgents(parts: AgentParts): Promise<Agents> {
  privateFolder(path.dirname(parts.paths.socket))
  return whileLocked(parts.paths.lock, () => startAlone(parts))
}

async function startAlone(parts: AgentParts): Promise<Agents> {
  const { paths, report } = parts
  if (await isListening(paths.socket))
    throw new Unusable(
      `A daemon is already running on ${paths.socket}. Stop it, or choose another socket with --agent-socket.`,
    )
  const served = [...parts.prompts].map(([name, prompt]) => servePrompt(name, prompt, parts))
  const server = createAgentServer({
    prompts: new Map(served.map(({ name, prompt }) => [name, prompt])),
    roots: parts.roots,
    folder: paths.sessions,
    overridden: paths.overridden,
    maxSessions: parts.maxSessions,
    onDiagnostic: report,
  })
  const listeners: Listener[] = []
  const closeListeners = () => Promise.all(listeners.map((each) => closed(each, CLOSING_MS)))
  try {
    await server.readOverridden()
    const address = await listenOnTcp(listeners, server, parts)
    const socket = http.createServer(server.listener(null))
    socket.maxConnections = countConnections(parts)
    const removeSocket = await listenInPlace(paths.socket, (name) =>
      listenWith(listeners, socket, () => socket.listen(name)),
    )
    const stopSweeping = sweepIdle({
      idleMs: parts.idleMs,
      report,
      endIdle: async (before) => {
        await server.endIdle(before)
        for (const { keeper } of served) await keeper.endIdle(before - UNKNOWN_MS)
      },
    })
    return {
      address,
      close: async () => {
        stopSweeping()
        await closeListeners()
        removeSocket()
        server.close()
        for (const { keeper } of served) keeper.close()
      },
    }
  } catch (error) {
    await closeListeners()
    throw error
  }
}

interface Served {
  readonly name: string
  readonly prompt: AgentPrompt
  readonly keeper: SessionKeeper
}

function servePrompt(
  name: string,
  { guardrails, url }: ServedPrompt,
  { paths, report }: Pick<AgentParts, 'paths' | 'report'>,
): Served {
  // No prompt contains "~".
  const folder = path.join(paths.sessions, name.replaceAll('/', '~'))
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  const ready = () => guardrails.ready(READY_MS)
  const openSession = guardrails.openSession.bind(guardrails)
  const keeper = new SessionKeeper({ guardrails: { openSession, ready }, folder, report })
  const prompt = {
    open: (key, options) => keeper.open(key, options),
    onEnd: (key) => keeper.ended(key),
    startupPolicy: url === null ? 'bootstrap' : 'last_known_good',
    url,
  } satisfies AgentPrompt
  return { name, prompt, keeper }
}

/** null: no TCP. */
async function listenOnTcp(
  listeners: Listener[],
  server: AgentServer,
  parts: Pick<AgentParts, 'listen' | 'tokens' | 'prompts' | 'maxSessions'>,
): Promise<string | null> {
  const { listen, tokens, prompts } = parts
  if (listen === null) return null
  const { host, port, tls } = listen
  const answer = server.listener(tokens.map((each) => readTokenFile(each, prompts)))
  const tcp = tls === null ? http.createServer(answer) : https.createServer(tls, answer)
  tcp.maxConnections = countConnections(parts)
  await listenWith(listeners, tcp, () => tcp.listen(port, host)).catch((error: unknown) => {
    throw new Unusable(
      `The daemon cannot listen on ${host}:${port}: ${readErrorCode(error)}. Choose another address with --listen.`,
    )
  })
  // The server listens on TCP, so the address is never a path.
  const { port: taken } = tcp.address() as AddressInfo
  return `${tls === null ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${taken}`
}

function countConnections({ maxSessions }: Pick<AgentParts, 'maxSessions'>): number {
  return Math.max(FEWEST_CONNECTIONS, SESSION_CONNECTIONS * maxSessions)
}

function readTokenFile({ file, prompts }: TokenFile, served: AgentParts['prompts']): AgentToken {
  const other = prompts?.find((prompt) => !served.has(prompt))
  if (other === undefined) return { secret: tokenIn(file), prompts }
  throw new Unusable(`The token in ${file} names the prompt "${other}", which has no --prompt.`)
}

async function listenWith(
  listeners: Listener[],
  server: http.Server | https.Server,
  listen: () => void,
): Promise<void> {
  server.keepAliveTimeout = KEEP_ALIVE_MS
  endWithAnswers(server)
  await listening(server, listen)
  listeners.push({ server, cut: () => server.closeAllConnections() })
}
