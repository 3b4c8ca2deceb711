// Each worker has its own product, because tests count rows of lists and change settings.
import { readFileSync } from 'node:fs'
import path from 'node:path'

/** Set by the runner in its workers; absent in the process that starts the products. */
const WORKER = Number(process.env['TEST_PARALLEL_INDEX'] ?? 0)
const FIRST_PORT = Number(process.env['E2E_PORT'] ?? 3197)

export const ROOT = path.join(import.meta.dirname, '..')

export interface Product {
  readonly port: number
  readonly origin: string
  readonly dataDir: string
  readonly archiveDir: string
  /** Port on 127.0.0.1 to which the product sends its email. A test that reads email listens there. */
  readonly mailPort: number
  readonly signedIn: string
}

export function describeProduct(worker: number): Product {
  const port = FIRST_PORT + worker
  const results = path.join(ROOT, 'test-results', `product-${worker}`)
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    mailPort: port + 500,
    dataDir: path.join(results, 'data'),
    archiveDir: path.join(results, 'data', 'old-events'),
    signedIn: path.join(results, 'signed-in.json'),
  }
}

export const PRODUCT = describeProduct(WORKER)
export const ORIGIN = PRODUCT.origin
export const DATA_DIR = PRODUCT.dataDir

export const ADMIN = {
  name: 'Ana Ruiz',
  email: 'ana@example.com',
  password: 'correct horse battery',
}

interface Secrets {
  readonly setupToken: string
  readonly demoKey: string
}

export function secrets(): Secrets {
  // The start script wrote it; a missing file is a failed start.
  return JSON.parse(readFileSync(path.join(DATA_DIR, 'secrets.json'), 'utf8')) as Secrets
}
