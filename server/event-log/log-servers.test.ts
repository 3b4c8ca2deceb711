import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { NamedBlocks } from '@/scripts/document-blocks.mjs'
import { describeRefusal, findWeakness, toConnectionOptions } from './log-servers.mjs'

interface Server {
  readonly name: string
  readonly version?: string
  readonly config?: object
}

async function monitor({ name, version = '2.10.4', config }: Server): Promise<string> {
  const jetstream = { config: { max_memory: 1, store_dir: '/data', ...config } }
  const server = http.createServer((request, response) => {
    expect(request.url).toBe('/varz')
    response.end(JSON.stringify({ server_id: 'N', server_name: name, version, jetstream }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return `http://127.0.0.1:${address.port}/`
}

const SAFE = { sync_interval: 120_000_000_000, sync_always: true }
const LOG = { version: '2.10.4', names: ['a', 'b'] }

async function findWeaknessIn(log: typeof LOG, servers: readonly Server[]): Promise<string | null> {
  return await findWeakness(log, (await Promise.all(servers.map(monitor))).join(','))
}

test('a log is accepted when every server that holds it writes to disk before it acknowledges', async () => {
  const third = { name: 'c', version: '3.0.0', config: SAFE }
  const servers = [{ name: 'a', config: SAFE }, { name: 'b', config: SAFE }, third]
  expect(await findWeaknessIn(LOG, servers)).toBeNull()
})

test.each([
  {
    why: 'a server that is too old, without asking a monitoring address',
    log: { ...LOG, version: '2.9.10' },
    servers: null,
    weakness: /^NATS 2\.9\.10 cannot write an event to disk .*; version 2\.10 can$/,
  },
  {
    why: 'a log without monitoring addresses',
    log: LOG,
    servers: null,
    weakness: /^SIGNALBOX_EVENT_LOG_MONITOR is not set/,
  },
  {
    why: 'one server that is too old',
    log: LOG,
    servers: [
      { name: 'a', config: SAFE },
      { name: 'b', version: '2.9.25', config: SAFE },
    ],
    weakness: /^NATS 2\.9\.25 cannot/,
  },
  {
    why: 'one server that syncs at intervals',
    log: LOG,
    servers: [
      { name: 'a', config: SAFE },
      { name: 'b', config: { sync_interval: 1 } },
    ],
    weakness: /^its server b does not have "sync_interval: always"$/,
  },
  {
    why: 'a server that holds the log and has no monitoring address',
    log: LOG,
    servers: [{ name: 'a', config: SAFE }],
    weakness: /^SIGNALBOX_EVENT_LOG_MONITOR has no address of its server b$/,
  },
])('a log is refused because of $why', async ({ log, servers, weakness }) => {
  const found =
    servers === null ? await findWeakness(log, undefined) : await findWeaknessIn(log, servers)
  expect(found).toMatch(weakness)
  expect(describeRefusal(found ?? '')).toContain('SIGNALBOX_EVENT_LOG_UNSAFE=power-loss')
})

test('a monitoring address that does not answer decides nothing', async () => {
  await expect(findWeakness(LOG, 'http://127.0.0.1:9')).rejects.toThrow()
})

test('addresses of the log are read with their ports, one account and TLS', () => {
  expect(toConnectionOptions('nats://u:p%40ss@h1:4222,nats://[::1]')).toMatchObject({
    servers: ['h1:4222', '[::1]:4222'],
    user: 'u',
    pass: 'p@ss',
  })
  expect(toConnectionOptions('tls://h1')).toMatchObject({ servers: ['h1:4222'], tls: {} })
})

const NATS = 'nats-server'
const { stdout: nats } = spawnSync(NATS, ['--version'], { encoding: 'utf8' })
const NO_NATS = nats === null ? ' (skipped: nats-server is not installed)' : ''

test.skipIf(NO_NATS !== '')(`nats-server accepts the documented configuration${NO_NATS}`, () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-nats-'))
  onTestFinished(() => fs.rmSync(folder, { recursive: true }))
  const file = path.join(folder, 'server.conf')
  const documented = new NamedBlocks(import.meta.filename)
  fs.writeFileSync(
    file,
    documented.take('docs/operations/event-log.md', {
      '10.0.0.11': '127.0.0.1',
      '/var/lib/nats': folder,
      $PASSWORD: 'secret',
    }),
  )
  expect(documented.listLeft()).toEqual([])
  const { stderr } = spawnSync(NATS, ['-t', '-c', file], { encoding: 'utf8' })
  // Version 2.9 of Debian 12 knows all but the setting that a start of Signalbox requires.
  const isOld = /v2\.[0-9]\./.test(nats)
  expect(stderr.trim().replace(`${file}:`, '')).toMatch(
    isOld ? /^nats-server: \d+:\d+: unknown field "sync_interval"$/ : /is valid$/,
  )
})
