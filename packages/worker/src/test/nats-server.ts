// Debian package: nats-server.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, vi } from 'vitest'

const CANDIDATES = ['nats-server', '/usr/sbin/nats-server', '/usr/local/bin/nats-server']

export interface OwnNatsServer {
  /** Call only inside tests and hooks. */
  readonly connection: () => NatsConnection
  readonly url: () => string
  readonly signal: (name: NodeJS.Signals) => void
}

/** Without the server, the tests are skipped and the title states the reason; where `CI` is set, that is an error. */
export function describeWithNats(title: string, tests: (server: OwnNatsServer) => void): void {
  const program = CANDIDATES.find((name) => spawnSync(name, ['--version']).status === 0)
  if (program !== undefined) {
    describe(title, () => tests(withServer(program)))
    return
  }
  const reason = 'nats-server is not installed (Debian: apt-get install nats-server)'
  if (process.env['CI'] !== undefined) throw new Error(reason)
  describe.skip(`${title}: ${reason}`, () =>
    tests({ connection: unreachable, url: unreachable, signal: unreachable }))
}

function unreachable(): never {
  throw new Error('skipped tests do not run')
}

function withServer(program: string): OwnNatsServer {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-nats-'))
  let server: ChildProcess | undefined
  let connection: NatsConnection | undefined
  let url = ''
  beforeAll(async () => {
    const listen = ['--addr', '127.0.0.1', '--port', '-1', '--ports_file_dir', folder]
    server = spawn(program, ['--jetstream', '--store_dir', folder, ...listen], { stdio: 'ignore' })
    const ports = path.join(folder, `nats-server_${server.pid}.ports`)
    url = await vi.waitFor(() => readUrl(ports), { timeout: 20_000 })
    connection = await connect({ servers: url })
  })
  afterAll(async () => {
    await connection?.close()
    if (server !== undefined) {
      const gone = once(server, 'exit')
      server.kill('SIGTERM')
      await gone
    }
    fs.rmSync(folder, { recursive: true, force: true })
  })
  return {
    connection: () => connection ?? unreachable(),
    url: () => url,
    signal: (name) => server?.kill(name),
  }
}

function readUrl(ports: string): string {
  const { nats }: { nats: readonly string[] } = JSON.parse(fs.readFileSync(ports, 'utf8'))
  const [url] = nats
  if (url === undefined) throw new Error('the server does not listen')
  return url
}
