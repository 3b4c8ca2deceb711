import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { createGuardrails } from '@signalbox/runtime'
import { expect } from 'vitest'
import { startDaemon } from '../daemon/daemon.ts'
import { type DaemonPaths, daemonPaths } from '../daemon/daemon-paths.ts'
import { writeShimAddress } from '../daemon/shim-address.ts'
import { answerHead } from '../daemon/shim-server.ts'
import { shimCall, writeShim } from '../shim/write-shim.ts'
import { RULES } from './daemon-rules.ts'

/** Transports of the shim: TCP by bash, curl because the daemon has no such port, and curl because there is no bash. */
export const WAYS = ['bash', 'bash without a port', 'sh'] as const
export type ShimWay = (typeof WAYS)[number]

export const SECRETS = { token: 'the-token-of-the-shim', proof: 'the-proof-of-the-daemon' } as const

export const REFUSED = (reason: string) => ({
  code: 2,
  out: null,
  err: expect.stringContaining(reason),
})

export type FakeDaemon =
  | { readonly kind: 'says'; readonly status?: number; readonly body: string }
  /** Announces more bytes than it sends, and closes the connection. */
  | { readonly kind: 'breaks off in its answer' }
  | { readonly kind: 'breaks off' }
  | { readonly kind: 'never answers'; readonly asked?: () => void }

export interface RawQuestion {
  readonly socket: net.Socket
  readonly agent: string
  readonly trace: string
  readonly body: string
}

function fakeReply(fake: FakeDaemon, socket: net.Socket): void {
  if (fake.kind === 'breaks off') socket.destroy()
  else if (fake.kind === 'never answers') fake.asked?.()
  else if (fake.kind === 'breaks off in its answer')
    socket.end(`${answerHead(SECRETS.proof, 200, 100)}{}`)
  else {
    const head = answerHead(SECRETS.proof, fake.status ?? 200, Buffer.byteLength(fake.body))
    socket.end(head + fake.body)
  }
}

function fakeResponse(fake: FakeDaemon, response: http.ServerResponse): void {
  if (fake.kind === 'breaks off') response.socket?.destroy()
  else if (fake.kind === 'never answers') fake.asked?.()
  else if (fake.kind === 'breaks off in its answer') {
    response.writeHead(200, { 'content-length': '100' }).write('{}')
    setImmediate(() => response.socket?.destroy())
  } else response.writeHead(fake.status ?? 200).end(fake.body)
}

export interface RunOptions {
  readonly path?: string
  readonly command?: string
  readonly env?: { readonly [name: string]: string }
}

export class ShimLab {
  readonly folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx shims-'))
  readonly paths: DaemonPaths
  readonly way: ShimWay
  readonly #closing: (() => unknown)[] = []

  constructor(way: ShimWay, entry: string) {
    this.way = way
    this.paths = daemonPaths(path.join(this.folder, 'd.sock'), {
      env: {},
      cwd: this.folder,
      home: this.folder,
    })
    this.write({ node: process.execPath, entry })
  }

  /** `limit` absent: as shipped, so that no answer of a busy machine is late. */
  write(
    programs: { readonly node: string; readonly entry: string },
    limit: { readonly maxSeconds?: number } = {},
  ): void {
    const bash = this.way === 'sh' ? null : '/bin/bash'
    writeShim(this.paths, programs, { ...limit, bash })
  }

  async startReal(): Promise<void> {
    const guardrails = createGuardrails({ config: RULES })
    const port = this.way === 'bash' ? 0 : null
    const parts = { paths: this.paths, port, guardrails, prompt: 'team/coder', idleMs: 3_600_000 }
    const daemon = await startDaemon({ ...parts, report: () => undefined })
    this.#closing.push(() => daemon.close())
  }

  /** For bash, its answers begin with the daemon's proof. */
  async startFake(fake: FakeDaemon): Promise<void> {
    if (this.way === 'bash') return this.startRaw(({ socket }) => fakeReply(fake, socket))
    const server = http.createServer((request, response) => {
      request.resume().on('end', () => fakeResponse(fake, response))
    })
    await this.listen(server)
    this.#closing.push(() => server.closeAllConnections())
  }

  async startRaw(answer: (asked: RawQuestion) => void): Promise<void> {
    const open = new Set<net.Socket>()
    const server = net.createServer((socket) => {
      let asked = ''
      open.add(socket)
      socket.on('error', () => undefined)
      socket.on('data', (chunk) => {
        asked += chunk.toString('latin1')
        const [, , , agent = '', trace = '', length, ...body] = asked.split('\t')
        const text = body.join('\t')
        if (text.length === Number(length))
          answer({ socket, agent, trace, body: Buffer.from(text, 'latin1').toString() })
      })
    })
    await this.listen(server)
    this.#closing.push(() => open.forEach((socket) => void socket.destroy()))
  }

  async listen(server: net.Server): Promise<void> {
    if (this.way === 'bash') server.listen(0, '127.0.0.1')
    else server.listen(this.paths.socket)
    await once(server, 'listening')
    // The server listens on TCP, so the address is never a path.
    if (this.way === 'bash')
      writeShimAddress(this.paths.shimAddress, (server.address() as AddressInfo).port, SECRETS)
    this.#closing.push(() => server.close())
  }

  start(harness = 'claude-code', options: RunOptions = {}): ChildProcess {
    const command = options.command ?? `${shimCall(this.paths.shim, harness)} || exit 2`
    const PATH = options.path ?? '/usr/bin:/bin'
    const env = { NODE_ENV: 'production', PATH, ...options.env } as const
    return spawn('/bin/sh', ['-c', command], { env, stdio: ['pipe', 'pipe', 'pipe'] })
  }

  run(payload: object | string, harness?: string, options?: RunOptions): Promise<ShimEnd> {
    return ended(this.start(harness, options), payload)
  }

  async close(): Promise<void> {
    for (const close of this.#closing) await close()
    fs.rmSync(this.folder, { recursive: true, force: true })
  }
}

export interface ShimEnd {
  readonly code: unknown
  /** null: nothing was printed. */
  readonly out: unknown
  readonly err: string
}

export async function ended(child: ChildProcess, payload: object | string): Promise<ShimEnd> {
  const { stdin, stdout, stderr } = child
  if (stdin === null || stdout === null || stderr === null) throw new Error('no pipes')
  stdin.on('error', () => undefined)
  stdin.end(typeof payload === 'string' ? payload : JSON.stringify(payload))
  const exit = once(child, 'exit')
  const [out, err] = await Promise.all([text(stdout), text(stderr)])
  const [code] = await exit
  return { code, out: out === '' ? null : JSON.parse(out), err }
}

export function listChildren(pid: number | undefined): readonly number[] {
  const list = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return list.trim().split(' ').map(Number)
}
