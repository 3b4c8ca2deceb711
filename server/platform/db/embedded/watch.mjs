// @ts-check
// Attempts to restart get rarer but never stop, because a disk may get free space at any time.
import { setTimeout as wait } from 'node:timers/promises'
import { isAlive } from '../../base/process-alive.mjs'
import { startAgain, stop } from './cluster.mjs'

const LOOK_MS = 200
const PAUSES_MS = [0, 250, 500, 1_000, 2_000, 5_000]

/**
 * @param {import('./cluster.mjs').Cluster} cluster
 * @param {{ pid: number, port: number, report: (line: string) => void }} server
 * @returns {() => Promise<void>} ends the watch and the server
 */
export function watch(cluster, { pid: first, port, report }) {
  const stopping = new AbortController()
  const { signal } = stopping
  let pid = first

  /** Never rejects. @param {number} ms */
  const pause = (ms) => wait(ms, undefined, { signal, ref: false }).catch(() => undefined)

  async function startUntilReady() {
    for (let attempt = 0; !signal.aborted; attempt++) {
      await pause(PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)] ?? 0)
      if (signal.aborted) return
      const started = await startAgain(cluster, port).catch(() => null)
      if (started === null) continue
      pid = started
      return
    }
  }

  async function run() {
    while (!signal.aborted) {
      await pause(LOOK_MS)
      if (signal.aborted || isAlive(pid)) continue
      const since = Date.now()
      report('The database ended; starting it again.')
      await startUntilReady()
      if (!signal.aborted) report(`The database is back after ${Date.now() - since} ms.`)
    }
  }

  const ended = run()
  return async () => {
    stopping.abort()
    await ended
    await stop(pid)
  }
}
