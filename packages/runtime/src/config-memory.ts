// The last good bundle, the pinned key and the highest revision, on disk: a restart without the control plane, and a server
// that serves an old bundle, must not weaken what was in force.
import fs from 'node:fs'
import path from 'node:path'
import type { SignedBundle } from './applied-config.ts'

export interface Remembered {
  readonly public_key: string
  readonly highest_revision: number
  readonly bundle: SignedBundle | null
  readonly runtime_id: string | null
  /** Process that uses `runtime_id`; another may take it over once that one is gone. */
  readonly owner: string | null
}

/** null when nothing was remembered or it cannot be read. */
export function readMemory(file: string): Remembered | null {
  try {
    const value: unknown = JSON.parse(fs.readFileSync(file, 'utf8'))
    return isRemembered(value) ? { ...value, owner: ownerOf(value) } : null
  } catch {
    return null
  }
}

function ownerOf(value: object): string | null {
  return 'owner' in value && typeof value.owner === 'string' ? value.owner : null
}

function isRemembered(value: unknown): value is Omit<Remembered, 'owner'> {
  return (
    typeof value === 'object' &&
    value !== null &&
    'public_key' in value &&
    typeof value.public_key === 'string' &&
    'highest_revision' in value &&
    typeof value.highest_revision === 'number' &&
    'bundle' in value &&
    isSignedBundle(value.bundle) &&
    'runtime_id' in value &&
    (value.runtime_id === null || typeof value.runtime_id === 'string')
  )
}

function isSignedBundle(value: unknown): value is SignedBundle | null {
  if (value === null) return true
  return (
    typeof value === 'object' &&
    'text' in value &&
    typeof value.text === 'string' &&
    'signature' in value &&
    typeof value.signature === 'string'
  )
}

/** Whole or not at all, even through a kill. */
export function writeMemory(file: string, memory: Remembered): void {
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  const fresh = `${file}.${process.pid}.new`
  fs.writeFileSync(fresh, JSON.stringify(memory), { mode: 0o600 })
  fs.renameSync(fresh, file)
}
