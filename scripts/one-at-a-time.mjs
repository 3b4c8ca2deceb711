// @ts-check
// Lets one process work at a time: two installs in one folder would remove each other's files.
import fs from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { isAlive } from '../server/platform/base/process-alive.mjs'

const WAIT_MS = 100

/**
 * A dead process holds nothing. Rejects when `signal` aborts during the wait.
 * @param {string} file
 * @param {() => Promise<void>} work
 * @param {AbortSignal} [signal]
 */
export async function oneAtATime(file, work, signal) {
  while (!taken(file)) await wait(WAIT_MS, undefined, signal === undefined ? {} : { signal })
  try {
    await work()
  } finally {
    fs.rmSync(file, { force: true })
  }
}

/** @param {string} file */
function taken(file) {
  const mine = `${file}.${process.pid}`
  fs.writeFileSync(mine, String(process.pid))
  try {
    // A link appears atomically, so no process reads a half-written holder.
    fs.linkSync(mine, file)
    return true
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    const holder = Number(readFileOrEmpty(file))
    if (holder > 0 && !isAlive(holder)) fs.rmSync(file, { force: true })
    return false
  } finally {
    fs.rmSync(mine, { force: true })
  }
}

/** Empty: the file is gone. @param {string} file */
function readFileOrEmpty(file) {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
