// @ts-check
// Collects garbage while a web process has little to do. V8 collects its old generation only once that has grown to a multiple of what is in
// use: a thousand connected runtimes took 200 MB that way, of which 15 were in use.
import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const CHECK_MS = 10_000
/** Share of the time that the process worked since the last check, below which a pause of a tenth of a second delays no one. */
const QUIET = 0.3
/** Growth since the last collection, in bytes, below which none is worth its time. */
const GROWN = 40 * 1024 * 1024

/**
 * @param {{ utilization: number, memory: number, afterLast: number }} state `utilization` from 0 to 1; `memory` resident, in bytes;
 * `afterLast` the same after the last collection
 */
export function isWorthCollecting({ utilization, memory, afterLast }) {
  return utilization < QUIET && memory - afterLast > GROWN
}

/** Call once per process. */
export function collectWhenQuiet() {
  setFlagsFromString('--expose-gc')
  const collect = /** @type {() => void} */ (runInNewContext('gc'))
  let before = performance.eventLoopUtilization()
  let afterLast = process.memoryUsage.rss()
  const check = () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    const memory = process.memoryUsage.rss()
    // Memory that was freed meanwhile may be used again.
    afterLast = Math.min(afterLast, memory)
    if (!isWorthCollecting({ utilization, memory, afterLast })) return
    collect()
    afterLast = process.memoryUsage.rss()
  }
  setInterval(check, CHECK_MS).unref()
}
