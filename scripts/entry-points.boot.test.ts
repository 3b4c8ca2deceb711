// Every operation of specs/openapi.json, every other route of app/, and every command of the packed `signalbox`, in a production build.
import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signedIn } from '@/bench/product.mjs'
import { soakRequests } from '@/bench/soak/requests.mjs'
import { NamedBlocks } from './document-blocks.mjs'
import { describeCommands } from './entry-points/commands.ts'
import { describeConsoleCommands } from './entry-points/console-commands.ts'
import { ManagedProduct } from './entry-points/operation-cases.mjs'
import { describeOperations } from './entry-points/operations.ts'
import { describeOtherRoutes } from './entry-points/other-routes.ts'
import type { ShippedProduct } from './entry-points/shipped-product.ts'
import { exited, freePort, ProcessGroup, readSecrets } from './product-process.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-entry-points-'))
/** `npm run soak -- --requests 22000` runs the large one. */
const SMALL_SOAK = { requests: 50, seed: 1 }
const processes = new ProcessGroup()
let shipped: ShippedProduct
let stop = (): Promise<void> => Promise.resolve()

beforeAll(async () => {
  // PostgreSQL's account must be able to enter the folder.
  fs.chmodSync(folder, 0o755)
  const data = path.join(folder, 'data')
  fs.mkdirSync(data)
  const port = await freePort()
  const documented = new NamedBlocks(import.meta.filename)
  const own = { 'npm start': `exec npm start -- --no-demo --port ${port}` }
  const script = documented.take('README.md', own)
  // The same words, without the comment.
  expect(script).toContain(documented.take('docs/tutorial.md', own).trim())
  expect(documented.listLeft()).toEqual([])
  const { child: npm } = await processes.startWith(script, data)
  stop = async () => {
    npm.kill('SIGTERM')
    await exited(npm)
  }
  const url = `http://127.0.0.1:${port}`
  const person = await signedIn({ url, ...readSecrets(data) })
  shipped = { url, person, product: new ManagedProduct({ url, tell: person.tell }) }
})

afterAll(async () => {
  await stop()
  processes.endAll()
  fs.rmSync(folder, { recursive: true, force: true })
})

describeOperations(() => shipped)
describeOtherRoutes(() => shipped)
describeCommands(folder, () => shipped)
describeConsoleCommands(folder, () => shipped)

describe('the request soak', () => {
  test('no damaged request is answered with 500 or more, while valid requests succeed', async () => {
    const { failures, statuses, valid } = await soakRequests(shipped.product, SMALL_SOAK)
    expect(failures).toEqual([])
    expect(valid).toBe(SMALL_SOAK.requests / 25)
    for (const status of [200, 404, 422]) expect(statuses[status]).toBeGreaterThan(0)
  })

  test('detects a server that fails', async () => {
    const server = http.createServer((_, response) => response.writeHead(500).end())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    // A server that listens on a port has an address with a port.
    const { port } = server.address() as AddressInfo
    const tell = () => Promise.resolve({ secret: 'sbx_none' })
    const product = new ManagedProduct({ url: `http://127.0.0.1:${port}`, tell })
    const { failures } = await soakRequests(product, { requests: 25, seed: 1 })
    expect(failures.join('\n')).toMatch(/lint|list-configs/)
    expect(failures.length).toBeGreaterThanOrEqual(25)
    server.close()
  })
})
