import type { JsonRpcId } from '@agentclientprotocol/sdk'
import type { JsonObject } from '@signalbox/core'
import type { HarnessSession } from '@signalbox/runtime/harness'
import { type AcpAnswer, type AcpRequest, fields, readText } from './acp-messages.ts'
import { AcpSession } from './acp-session.ts'

export interface NewAcpSession {
  /** The agent's own id of the session. */
  readonly id: string
  readonly cwd: string
  /** Version that the agent reported; null: none. */
  readonly agentVersion: string | null
}

export interface AcpSessionsOptions {
  /** Opens the guarded session for one of the protocol. If this fails or there is no config, no prompt is sent. */
  readonly open: (session: NewAcpSession) => Promise<HarnessSession> | HarnessSession
  /** Absolute folder of sessions that do not state one. */
  readonly cwd: string
}

const OPENING: ReadonlySet<string> = new Set([
  'session/new',
  'session/load',
  'session/resume',
  'session/fork',
])

export class AcpSessions {
  readonly #options: AcpSessionsOptions
  readonly #opened = new Map<string, Promise<AcpSession>>()
  readonly #live = new Map<string, AcpSession>()
  readonly #folders = new Map<string, string>()
  readonly #opening = new Map<JsonRpcId, JsonObject>()
  /** Sessions whose history the agent replays. */
  readonly #loading = new Set<string>()
  #agentVersion: string | null = null

  constructor(options: AcpSessionsOptions) {
    this.#options = options
  }

  /** undefined: the session has had no prompt. */
  live(id: string | undefined): AcpSession | undefined {
    return id === undefined ? undefined : this.#live.get(id)
  }

  /** Rejects if the session cannot be guarded; the next call tries again. */
  open(id: string): Promise<AcpSession> {
    const known = this.#opened.get(id)
    if (known !== undefined) return known
    const opened = this.#open(id)
    this.#opened.set(id, opened)
    opened.catch(() => this.#opened.delete(id))
    return opened
  }

  requested({ id, method, params }: AcpRequest): void {
    if (!OPENING.has(method)) return
    this.#opening.set(id, params)
    const loaded = readText(params['sessionId'])
    if (loaded !== undefined && method === 'session/load') this.#loading.add(loaded)
  }

  answered({ id, result }: AcpAnswer): void {
    const version = readText(fields(result?.['agentInfo'])['version'])
    if (version !== undefined) this.#agentVersion = version
    const params = this.#opening.get(id)
    if (params === undefined) return
    this.#opening.delete(id)
    const loaded = readText(params['sessionId'])
    if (loaded !== undefined) this.#loading.delete(loaded)
    const sessionId = readText(result?.['sessionId']) ?? loaded
    const cwd = readText(params['cwd'])
    if (sessionId !== undefined && cwd !== undefined) this.#folders.set(sessionId, cwd)
  }

  updated(params: JsonObject): void {
    const id = readText(params['sessionId']) ?? ''
    if (!this.#loading.has(id)) this.#live.get(id)?.updated(fields(params['update']))
  }

  /** Does nothing if the session is not open. */
  async end(id: string, reason: 'completed' | 'failed'): Promise<void> {
    const session = this.#live.get(id)
    this.#live.delete(id)
    this.#opened.delete(id)
    await session?.end(reason)
  }

  async endAll(reason: 'completed' | 'failed'): Promise<void> {
    await Promise.all([...this.#live.keys()].map((id) => this.end(id, reason)))
  }

  async #open(id: string): Promise<AcpSession> {
    const cwd = this.#folders.get(id) ?? this.#options.cwd
    const harness = await this.#options.open({ id, cwd, agentVersion: this.#agentVersion })
    if (harness.session.config === null) {
      await harness.end({ reason: 'failed', error: 'No guardrail config was in force.' })
      throw new Error('there is no guardrail config yet.')
    }
    const session = new AcpSession(harness, cwd)
    this.#live.set(id, session)
    return session
  }
}
