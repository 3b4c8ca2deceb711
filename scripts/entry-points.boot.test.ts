// The production build, started once by `npm start`: every operation of specs/openapi.json over HTTP, every other route of app/, and every
// command of the packed `signalbox` (specs/config-as-code.md).
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { signedIn } from '../bench/product.mjs'
import { describeCommands } from './entry-points/commands.ts'
import { ManagedProduct } from './entry-points/operation-cases.mjs'
import { describeOperations } from './entry-points/operations.ts'
import { describeOtherRoutes } from './entry-points/other-routes.ts'
import type { ShippedProduct } from './entry-points/shipped-product.ts'
import { exited, freePort, ProcessGroup, secretsOf } from './product-process.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-entry-points-'))
const processes = new ProcessGroup()
let shipped: ShippedProduct
let stop = (): Promise<void> => Promise.resolve()

beforeAll(async () => {
  // PostgreSQL's account must be able to enter it.
  fs.chmodSync(folder, 0o755)
  const data = path.join(folder, 'data')
  fs.mkdirSync(data)
  const port = await freePort()
  const npm = await processes.npmStart(data, port)
  stop = async () => {
    npm.kill('SIGTERM')
    await exited(npm)
  }
  const url = `http://127.0.0.1:${port}`
  const person = await signedIn({ url, ...secretsOf(data) })
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
