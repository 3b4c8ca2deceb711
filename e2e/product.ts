// Where the product under test is, and the secrets that its start made.
import { readFileSync } from 'node:fs'
import path from 'node:path'

export const PORT = Number(process.env['E2E_PORT'] ?? 3197)
export const ORIGIN = `http://127.0.0.1:${PORT}`
export const ROOT = path.join(import.meta.dirname, '..')
export const DATA_DIR = path.join(ROOT, 'test-results/data')

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
