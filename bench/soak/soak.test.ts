// A small soak for every test run. `npm run soak -- --logs 1000000` runs the large one.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type Io, run } from '@signalbox/cli'
import { afterEach, expect, it } from 'vitest'
import { IS_SOAK } from '@/scripts/soak-sample.mjs'
import { openProgress } from './progress.mjs'
import { soakShard } from './shard.mjs'

const SHARD = { seed: 1, size: IS_SOAK ? 500 : 125 }
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-soak-'))
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }))

it('the soak lints and replays random and damaged texts without a crash or a stack trace, with the same result twice', async () => {
  const first = await soakShard(run, SHARD)
  const second = await soakShard(run, SHARD)
  expect(first.failures).toEqual([])
  expect(second.digest).toBe(first.digest)
  expect(Object.keys(first.codes)).toEqual(
    expect.arrayContaining(['replay sound 0', 'replay config 2', 'replay log 2', 'lint config 1']),
  )
}, 60_000)

it.each([
  ['throws', () => Promise.reject(new Error('boom')), 'crashed: Error: boom'],
  ['prints a stack', stack, 'a stack in the output'],
  ['refuses sound input', refuse, 'sound input was refused'],
])('the soak run detects a command that %s', async (_, broken, failure) => {
  const { failures } = await soakShard(broken, { seed: 1, size: 4 })
  expect(failures.join('\n')).toContain(failure)
})

async function stack(_: readonly string[], io: Io): Promise<number> {
  io.out('TypeError: x\n    at step (step.js:1:1)')
  return 0
}

async function refuse(words: readonly string[], io: Io): Promise<number> {
  io.err('The config cannot be used.')
  return words[0] === 'replay' ? 2 : 0
}

it('the soak resumes after the last complete line of an interrupted run', () => {
  const file = path.join(folder, 'progress.jsonl')
  const result = { digest: 'd', events: 1, lines: 1, codes: {}, failures: [] }
  openProgress(file).keep({ run: 0, seed: 1, size: 5, result })
  fs.appendFileSync(file, '{"run":0,"seed":2,"si')
  const again = openProgress(file)
  expect(again.findResult({ run: 0, seed: 1, size: 5 })).toEqual(result)
  expect(again.findResult({ run: 0, seed: 2, size: 5 })).toBeUndefined()
  again.keep({ run: 1, seed: 1, size: 5, result })
  expect(openProgress(file).findResult({ run: 1, seed: 1, size: 5 })).toEqual(result)
})
