// @ts-check
// npm run soak
//   -- --tests                                    npm test, without samples
//   -- --requests 22000 [--seed 1]                bench/soak/requests.mjs
//   -- --logs 1000000 [--seed 1] [--fresh]        `signalbox lint` and `replay` over random configs and logs, half of them damaged
// Two threads each run every shard of logs. A crash, a stack trace or a digest that differs between them fails the run. Finished shards are
// kept, so that an interrupted run continues; another build starts over.

import { spawnSync } from 'node:child_process'
import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { prepare, ROOT } from '../../scripts/build-steps.mjs'
import { openProgress } from './progress.mjs'

const SHARD = 1000
const RUNS = [0, 1]
/** Seeds of neighboring runs must not share shards. */
const SEED_STEP = 10_000_019

/** @typedef {import('./shard.mjs').ShardResult} ShardResult */
/** @typedef {{ seed: number, size: number }} Shard */

function hashBuild() {
  const folders = ['core', 'wire', 'cli', 'testkit'].map((name) => `packages/${name}/dist`)
  const files = folders.flatMap((folder) =>
    fs
      .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.js'))
      .sort()
      .map((name) => path.join(folder, name)),
  )
  const hash = crypto.createHash('sha256')
  for (const file of [...files, 'bench/soak/cases.mjs', 'bench/soak/shard.mjs'])
    hash.update(fs.readFileSync(path.join(ROOT, file)))
  return hash.digest('hex').slice(0, 16)
}

/** `requests` 0: soaks logs. @returns {{ tests: boolean, logs: number, requests: number, seed: number, fresh: boolean }} */
function options() {
  const { values } = parseArgs({
    options: {
      tests: { type: 'boolean', default: false },
      logs: { type: 'string', default: '2000' },
      requests: { type: 'string', default: '0' },
      seed: { type: 'string', default: '1' },
      fresh: { type: 'boolean', default: false },
    },
  })
  const logs = Number(values.logs)
  const requests = Number(values.requests)
  const seed = Number(values.seed)
  if (!Number.isInteger(logs) || logs < 1 || !(requests >= 0) || !Number.isInteger(seed)) {
    console.error('Set --logs or --requests to a number from 1, and --seed to a whole number.')
    process.exit(2)
  }
  return { tests: values.tests, logs, requests, seed, fresh: values.fresh }
}

/**
 * Runs one thread, which gets the next shard after the result of the previous one.
 * @param {readonly Shard[]} shards
 * @param {(shard: Shard, result: ShardResult) => void} keep
 */
function work(shards, keep) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./worker.mjs', import.meta.url))
    const waiting = [...shards]
    /** @type {Shard | undefined} */
    let current
    const next = () => {
      current = waiting.shift()
      if (current === undefined) void worker.terminate().then(resolve)
      else worker.postMessage(current)
    }
    worker.on('message', (/** @type {ShardResult} */ result) => {
      if (current !== undefined) keep(current, result)
      next()
    })
    worker.once('error', reject)
    next()
  })
}

/** @param {readonly ShardResult[]} results */
function total(results) {
  /** @type {Record<string, number>} */
  const codes = {}
  const hash = crypto.createHash('sha256')
  let [events, lines] = [0, 0]
  for (const result of results) {
    events += result.events
    lines += result.lines
    hash.update(result.digest)
    for (const [key, count] of Object.entries(result.codes)) codes[key] = (codes[key] ?? 0) + count
  }
  return { events, lines, codes, digest: hash.digest('hex') }
}

async function main() {
  const { tests, logs, requests, seed, fresh } = options()
  if (tests) {
    const env = { ...process.env, SOAK: '1' }
    return (
      spawnSync(process.execPath, [path.join(ROOT, 'scripts/test.mjs')], { stdio: 'inherit', env })
        .status === 0
    )
  }
  await prepare({ web: requests > 0 })
  if (requests > 0) {
    // Imported late, because it needs the packages that were built above.
    const { requestsSoak } = await import('./requests.mjs')
    return await requestsSoak({ requests, seed })
  }
  const file = path.join(ROOT, `node_modules/.cache/signalbox/soak-${hashBuild()}.jsonl`)
  if (fresh) fs.rmSync(file, { force: true })
  const progress = openProgress(file)
  const shards = Array.from({ length: Math.ceil(logs / SHARD) }, (_, i) => ({
    seed: seed * SEED_STEP + i,
    size: Math.min(SHARD, logs - i * SHARD),
  }))
  const all = shards.length * RUNS.length
  const open = RUNS.map((run) => shards.filter((shard) => !progress.findResult({ run, ...shard })))
  const kept = all - open.flat().length
  let finished = kept
  let failed = 0
  const startedAt = performance.now()
  const say = () => {
    const seconds = (performance.now() - startedAt) / 1000
    const left = (seconds / Math.max(1, finished - kept)) * (all - finished)
    process.stdout.write(
      `${((100 * finished) / all).toFixed(1)}%, ${finished} of ${all} shards, ${failed} failures, ${seconds.toFixed(0)} s, about ${left.toFixed(0)} s left\n`,
    )
  }
  process.stdout.write(
    `${logs.toLocaleString('en')} configs and logs, seed ${seed}, ${RUNS.length} runs, shards of ${SHARD}${kept > 0 ? `, ${kept} shards were done before` : ''}\n`,
  )
  const ticking = setInterval(say, 15_000)
  await Promise.all(
    RUNS.map((run) =>
      work(open[run] ?? [], (shard, result) => {
        progress.keep({ run, ...shard, result })
        finished += 1
        failed += result.failures.length
      }),
    ),
  )
  clearInterval(ticking)
  say()
  return verdict(
    shards,
    RUNS.map((run) => shards.flatMap((shard) => progress.findResult({ run, ...shard }) ?? [])),
  )
}

/**
 * Prints the result; true: nothing failed, and the runs are equal.
 * @param {readonly Shard[]} shards
 * @param {readonly (readonly ShardResult[])[]} runs
 */
function verdict(shards, [first = [], second = []]) {
  const { events, lines, codes, digest } = total(first)
  for (const [key, count] of Object.entries(codes).sort())
    process.stdout.write(`  ${key.padEnd(24)} ${count.toLocaleString('en')}\n`)
  process.stdout.write(
    `${events.toLocaleString('en')} event lines, ${lines.toLocaleString('en')} lines of output, digest ${digest}\n`,
  )
  const failures = first.flatMap((result) => result.failures)
  for (const failure of failures.slice(0, 50)) process.stdout.write(`FAILED ${failure}\n`)
  const differing = shards.filter((_, i) => first[i]?.digest !== second[i]?.digest)
  for (const { seed } of differing)
    process.stdout.write(`FAILED shard of seed ${seed}: two runs differ\n`)
  const ok = failures.length === 0 && differing.length === 0
  process.stdout.write(
    ok
      ? 'No crash and no difference between the two runs\n'
      : `${failures.length} failures, ${differing.length} shards differ\n`,
  )
  return ok
}

process.exitCode = (await main()) ? 0 : 1
