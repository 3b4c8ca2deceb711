// @ts-check
// Lets one process work at a time: two installs in one folder would each remove what the other wrote.
import fs from 'node:fs'
import { isAlive } from './process-alive.mjs'

const WAIT_MS = 100

/**
 * Waits while another process holds the file, then works and lets go. A holder that is dead holds nothing.
 * @param {string} file
 * @param {() => void} work
 */
export function oneAtATime(file, work) {
  while (!taken(file)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS)
  try {
    work()
  } finally {
    fs.rmSync(file, { force: true })
  }
}

/** @param {string} file */
function taken(file) {
  const mine = `${file}.${process.pid}`
  fs.writeFileSync(mine, String(process.pid))
  try {
    // A link appears whole: nobody reads a holder that is not written yet.
    fs.linkSync(mine, file)
    return true
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    const holder = Number(contentOf(file))
    if (holder > 0 && !isAlive(holder)) fs.rmSync(file, { force: true })
    return false
  } finally {
    fs.rmSync(mine, { force: true })
  }
}

/** Empty when it is gone. @param {string} file */
function contentOf(file) {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
