// An agent server on a real socket and a real port, with the guardrails of one config and a client that sends JSON.
import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { type ConfigDocument, omitUndefined, type SessionEvent } from '@signalbox/core'
import type { SendRequest } from '@signalbox/testkit'
import type { ApprovalSource } from '../../facts/approvals.ts'
import { createGuardrails } from '../../session/guardrails.ts'
import { type AgentServer, createAgentServer } from '../agent-server.ts'
import type { AgentServerOptions } from '../agent-sessions.ts'

const CAPABILITIES = {
  deny_reason: true,
  inject: 'in_result',
  block_stop: 'in_loop',
  max_blocks: null,
  structured: 'none',
  structured_attempts: null,
  failure: 'event',
  call_ids: true,
  batch: 'parallel',
  on_guard_crash: 'closed',
  on_guard_timeout: 'closed',
  approval_seconds: null,
  replaces_arguments: true,
  replaces_results: true,
  ungoverned: [],
}

export const SECRETS = { all: 'a'.repeat(43), none: 'b'.repeat(43), other: 'c'.repeat(43) }

export type LabOptions = Partial<AgentServerOptions> & { readonly approvals?: ApprovalSource }

export interface Reply {
  readonly status: number
  readonly json: { readonly [name: string]: unknown }
}

/** Start it with `await AgentLab.start(config)`, end it with `await lab.stop()`. */
export class AgentLab {
  readonly folder: string
  readonly server: AgentServer
  readonly events: SessionEvent[] = []
  /** Nothing can be recorded. */
  isDiskFull = false
  readonly prompt: string
  /** Number of requests on the socket. */
  received = 0
  readonly #connections = new http.Agent({ keepAlive: true })
  #listeners: http.Server[] = []
  #port = 0

  constructor(config: ConfigDocument, { approvals, ...options }: LabOptions) {
    this.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-agents-'))
    this.prompt = `${config.ns}/${config.key}`
    const guardrails = createGuardrails({
      config,
      onEvent: (line) => void this.events.push(JSON.parse(line)),
      ...omitUndefined({ approvals }),
    })
    const prompt = {
      open: async (_: unknown, given: Parameters<typeof guardrails.openSession>[0]) =>
        guardrails.openSession({ ...given, journal: this.#journal }),
      startupPolicy: 'bootstrap',
      url: null,
    } as const
    this.server = createAgentServer({
      prompts: new Map([[this.prompt, prompt]]),
      roots: ['/'],
      folder: null,
      ...options,
    })
  }

  readonly #journal = {
    begin: () => undefined,
    take: () => undefined,
    append: () => {
      if (this.isDiskFull) throw new Error('ENOSPC')
    },
  }

  static async start(config: ConfigDocument, options: LabOptions = {}): Promise<AgentLab> {
    const lab = new AgentLab(config, options)
    const tokens = [
      { secret: SECRETS.all, prompts: null },
      { secret: SECRETS.none, prompts: ['team/other'] },
      { secret: SECRETS.other, prompts: [lab.prompt] },
    ]
    const socket = http.createServer(lab.server.listener(null))
    socket.on('request', () => {
      lab.received += 1
    })
    const tcp = http.createServer(lab.server.listener(tokens))
    await new Promise<void>((resolve) => socket.listen(lab.#socket, resolve))
    await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve))
    // The server listens on TCP, so the address is never a path.
    lab.#port = (tcp.address() as AddressInfo).port
    lab.#listeners = [socket, tcp]
    return lab
  }

  get #socket(): string {
    return path.join(this.folder, 'agent.sock')
  }

  async stop(): Promise<void> {
    this.#connections.destroy()
    for (const each of this.#listeners) {
      each.close()
      each.closeAllConnections()
    }
    this.server.close()
    fs.rmSync(this.folder, { recursive: true, force: true })
  }

  /** `token` null: over the socket. */
  send(token: string | null, signal?: AbortSignal): SendRequest {
    return ({ method, path: route, text }) =>
      new Promise((resolve, reject) => {
        const headers = token === null ? {} : { authorization: `Bearer ${token}` }
        const to =
          token === null ? { socketPath: this.#socket } : { host: '127.0.0.1', port: this.#port }
        const request = http.request(
          {
            ...to,
            method,
            path: route,
            headers,
            agent: this.#connections,
            ...omitUndefined({ signal }),
          },
          (response) => {
            const chunks: Buffer[] = []
            response.on('data', (chunk: Buffer) => chunks.push(chunk))
            response.once('error', reject)
            response.once('end', () =>
              resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }),
            )
          },
        )
        request.once('error', reject)
        request.end(text ?? undefined)
      })
  }

  async post(call: string, body: object, token: string | null = null): Promise<Reply> {
    const text = JSON.stringify(body)
    const sent = await this.send(token)({ method: 'POST', path: `/agent/v1/${call}`, text })
    return { status: sent.status, json: JSON.parse(sent.body) }
  }

  /** Opens a session and returns its path below `/agent/v1/`. */
  async open(body: object = {}, token: string | null = null): Promise<string> {
    const opened = await this.post('sessions', this.opening(body), token)
    if (opened.status !== 201) throw new Error(JSON.stringify(opened))
    return `sessions/${String(opened.json['session'])}`
  }

  opening(body: object = {}): object {
    return {
      prompt: this.prompt,
      session_key: 'run-1',
      agent: { name: 'triage' },
      capabilities: CAPABILITIES,
      ...body,
    }
  }
}
