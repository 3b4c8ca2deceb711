// The server is killed with -9 while a receiver holds a batch: the batch comes again, and the numbers go on without a gap.
import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { signedIn } from '@/bench/product.mjs'
import { ManagedProduct } from './entry-points/operation-cases.mjs'
import { exited, freePort, ProcessGroup, readSecrets } from './product-process.ts'
import { IS_SOAK } from './soak-sample.mjs'

interface Message {
  readonly id: string
  readonly first: number
  readonly last: number
  readonly records: readonly { readonly number: number; readonly type: string }[]
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-streams-'))
// When root runs this, PostgreSQL's account must be able to read the folder.
fs.chmodSync(folder, 0o755)
const processes = new ProcessGroup()
const received: Message[] = []
let isHolding = true
const receiver = http.createServer((request, response) => {
  let body = ''
  request.on('data', (chunk: Buffer) => {
    body += chunk.toString()
  })
  request.on('end', () => {
    const { type, data } = JSON.parse(body)
    if (type === 'records') received.push({ id: String(request.headers['webhook-id']), ...data })
    if (!isHolding) response.writeHead(204).end()
  })
})

beforeAll(
  () =>
    new Promise<void>((resolve) => {
      receiver.listen(0, '127.0.0.1', resolve)
    }),
)

afterAll(() => {
  processes.endAll()
  receiver.closeAllConnections()
  receiver.close()
  fs.rmSync(folder, { recursive: true, force: true })
})

const until = (holds: () => boolean) => vi.waitUntil(holds, { timeout: 90_000, interval: 50 })

test.runIf(IS_SOAK)(
  'a server that is killed while a receiver holds a batch sends it again, and no record is lost',
  async () => {
    const port = await freePort()
    const env = { SIGNALBOX_WEBHOOK_HOSTS: '127.0.0.1' }
    const server = await processes.startProduct(folder, port, env)
    const url = `http://127.0.0.1:${port}`
    const { tell } = await signedIn({ url, ...readSecrets(folder) })
    // A receiver that listens on a port has an address with a port.
    const { port: own } = receiver.address() as AddressInfo
    const stream = { name: 'all', audit: true, decisions: true, environment: 'dev' }
    await tell('webhookStreams.create', { ...stream, url: `http://127.0.0.1:${own}/` })
    const product = new ManagedProduct({ url, tell })
    await product.records()
    await until(() => received.length > 0)
    // Its own group has every process of the server but the database.
    process.kill(-(server.pid ?? 0), 'SIGKILL')
    await exited(server)
    const [held] = received

    isHolding = false
    received.length = 0
    await processes.startProduct(folder, port, env)
    await until(() => received.length > 0)
    expect(received[0]).toEqual(held)
    await tell('projects.rename', { name: 'After the kill' })
    const isComplete = () => {
      const records = received.flatMap((message) => message.records)
      return (
        records.some(({ type }) => type === 'decision') &&
        records.some(({ type }) => type === 'stop') &&
        JSON.stringify(records).includes('project.renamed')
      )
    }
    await until(isComplete)
    const numbers = [
      ...new Set(received.flatMap(({ records }) => records.map((one) => one.number))),
    ]
    expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, at) => at + 1))
  },
)
