import fs from 'node:fs'
import path from 'node:path'
import { ownerState, ownIdentity } from './process-identity.ts'

const PAUSE_MS = 2
/** Age at which a lock counts as left behind. The work takes milliseconds, and some owners cannot be checked from here. */
const LEFT_BEHIND_MS = 2_000
const PATIENCE_MS = 5_000

/** Creates the lock's folder. Throws the error of `work`, or one if the lock cannot be acquired. */
export function whileLocked<Value>(lock: string, work: () => Value): Value {
  fs.mkdirSync(path.dirname(lock), { recursive: true, mode: 0o700 })
  const late = Date.now() + PATIENCE_MS
  while (!acquire(lock)) {
    if (Date.now() > late) throw new Error(`Other processes hold ${lock} and do not release it.`)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
  }
  try {
    return work()
  } finally {
    fs.rmSync(lock, { force: true })
  }
}

function acquire(lock: string): boolean {
  try {
    fs.writeFileSync(lock, ownIdentity(), { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  if (isLeftBehind(lock)) fs.rmSync(lock, { force: true })
  return false
}

function isLeftBehind(lock: string): boolean {
  try {
    if (Date.now() - fs.statSync(lock).mtimeMs > LEFT_BEHIND_MS) return true
    const holder = fs.readFileSync(lock, 'utf8')
    return holder !== '' && ownerState(holder) === 'gone'
  } catch {
    // The lock was released meanwhile.
    return false
  }
}
