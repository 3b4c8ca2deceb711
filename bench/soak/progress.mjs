// @ts-check
// Finished shards of the soak, one per line, so that an interrupted run continues where it stopped.
import fs from 'node:fs'
import path from 'node:path'

/**
 * @typedef {import('./shard.mjs').ShardResult} ShardResult
 * @typedef {{ run: number, seed: number, size: number, result: ShardResult }} Finished
 */

/** @param {string} file */
export function openProgress(file) {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  const text = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : ''
  // A killed run can leave the last line incomplete; a complete one ends with a newline.
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  if (whole !== text) fs.writeFileSync(file, whole)
  /** @type {Map<string, ShardResult>} */
  const results = new Map()
  for (const line of whole.split('\n').filter((part) => part !== '')) {
    const finished = /** @type {Finished} */ (JSON.parse(line))
    results.set(toShardKey(finished), finished.result)
  }
  return {
    /** @param {Omit<Finished, 'result'>} shard */
    findResult: (shard) => results.get(toShardKey(shard)),
    /** @param {Finished} finished */
    keep: (finished) => {
      results.set(toShardKey(finished), finished.result)
      fs.appendFileSync(file, `${JSON.stringify(finished)}\n`)
    },
  }
}

/** @param {Omit<Finished, 'result'>} shard */
function toShardKey({ run, seed, size }) {
  return `${run} ${seed} ${size}`
}
