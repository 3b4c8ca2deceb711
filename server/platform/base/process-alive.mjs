// @ts-check
// Checks that a process still runs. A killed process that was not reaped keeps its pid but holds no resources.
import fs from 'node:fs'

/** @param {number} pid */
export function isAlive(pid) {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false
  }
  if (process.platform !== 'linux') return true
  const stat = `/proc/${pid}/stat`
  return fs.existsSync(stat) && !/^\d+ \(.*\) Z/s.test(fs.readFileSync(stat, 'utf8'))
}
