// One process at a time for a moment's work on a shared file: a write by one must not overwrite that of another.
import fs from 'node:fs'
import path from 'node:path'
import { ownerState, ownIdentity } from './process-identity.ts'

const PAUSE_MS = 2
/** The work takes milliseconds: a lock this old was left behind, possibly by a process that cannot be checked from here. */
const LEFT_BEHIND_MS = 2_000
const PATIENCE_MS = 5_000

/**
 * Runs `work` while no other process of this machine runs its own under the same lock, and makes the lock's folder. Throws what `work`
 * throws, and where the lock cannot be had.
 */
export function whileLocked<Value>(lock: string, work: () => Value): Value {
  fs.mkdirSync(path.dirname(lock), { recursive: true, mode: 0o700 })
  const late = Date.now() + PATIENCE_MS
  while (!isTaken(lock)) {
    if (Date.now() > late) throw new Error(`Other processes hold ${lock} and do not release it.`)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
  }
  try {
    return work()
  } finally {
    fs.rmSync(lock, { force: true })
  }
}

/** True: by this process, now. */
function isTaken(lock: string): boolean {
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
    // It was released meanwhile.
    return false
  }
}
