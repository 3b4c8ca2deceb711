// @ts-check
// In process, like the command line. Promises: exit codes 0, 1 and 2; one sentence for unusable input; never a stack trace.
import crypto from 'node:crypto'
import { soakCases } from './cases.mjs'

/**
 * @typedef {(words: readonly string[], io: import('@signalbox/cli').Io) => Promise<number>} Run
 * @typedef {{ digest: string, events: number, lines: number, codes: Record<string, number>, failures: string[] }} ShardResult
 * @typedef {{ code: number, out: string[], err: string[] }} Outcome
 * @typedef {import('./cases.mjs').SoakCase} SoakCase
 */

const COMMANDS = [
  ['lint', '--json', 'config.json'],
  ['replay', '--json', '--config', 'config.json', 'events.jsonl'],
]
/** Human-readable output is tested only occasionally, because it has the same content as the JSON. */
const READABLE = [
  ['validate', 'config.json'],
  ['replay', '--config', 'config.json', 'events.jsonl'],
  ['replay', '--check', '--config', 'config.json', 'events.jsonl'],
]
const READABLE_EVERY = 16
const MAX_FAILURES = 20

/** @param {Run} run @param {{ seed: number, size: number }} shard @returns {Promise<ShardResult>} */
export async function soakShard(run, { seed, size }) {
  const hash = crypto.createHash('sha256')
  /** @type {ShardResult} */
  const result = { digest: '', events: 0, lines: 0, codes: {}, failures: [] }
  for (const [i, soaked] of soakCases(seed, size).entries()) {
    result.events += soaked.log.split('\n').length
    for (const words of i % READABLE_EVERY === 0 ? [...COMMANDS, ...READABLE] : COMMANDS) {
      const outcome = await runSoakShard(run, words, soaked)
      const key = `${words[0]} ${soaked.harmed ?? 'sound'} ${outcome.code}`
      result.codes[key] = (result.codes[key] ?? 0) + 1
      result.lines += outcome.out.length
      hash.update(JSON.stringify([i, words, outcome]))
      const broken = brokenPromise(words, soaked, outcome)
      if (broken !== null && result.failures.length < MAX_FAILURES)
        result.failures.push(`seed ${seed}, case ${i}, ${words.join(' ')}: ${broken.slice(0, 300)}`)
    }
  }
  return { ...result, digest: hash.digest('hex') }
}

/** @param {Run} run @param {readonly string[]} words @param {SoakCase} soaked @returns {Promise<Outcome>} */
async function runSoakShard(run, words, soaked) {
  /** @type {string[]} */
  const out = []
  /** @type {string[]} */
  const err = []
  const io = {
    out: (/** @type {string} */ line) => void out.push(line),
    err: (/** @type {string} */ line) => void err.push(line),
    readText: async () => soaked.config,
    readLines: async function* () {
      yield* soaked.log.split('\n')
    },
  }
  try {
    return { code: await run(words, io), out, err }
  } catch (error) {
    return { code: -1, out, err: [String(error instanceof Error ? error.stack : error)] }
  }
}

/** null: no promise is broken. @param {readonly string[]} words @param {SoakCase} soaked @param {Outcome} outcome */
function brokenPromise(words, soaked, { code, out, err }) {
  if (code !== 0 && code !== 1 && code !== 2) return `crashed: ${err[0]}`
  if (out.some(isStack)) return `a stack in the output: ${out.find(isStack)}`
  if (out.some(isBroken)) return `a control character in the output: ${out.find(isBroken)}`
  if (code === 2) return brokenRefusal(words, soaked, err)
  if (err.length > 0) return `exit code ${code} with an error: ${err[0]}`
  // A log without decisions is intact, but still fails the check.
  const mayFind = words[0] !== 'replay' || (words.includes('--check') && !soaked.recorded)
  return soaked.harmed === null && !mayFind && code === 1
    ? `a sound log was not replayed: ${out.at(-1)}`
    : null
}

/** @param {readonly string[]} words @param {SoakCase} soaked @param {readonly string[]} err */
function brokenRefusal(words, soaked, err) {
  if (words[0] !== 'replay')
    return 'lint must report problems for a readable file, not exit with code 2'
  if (soaked.harmed === null) return `sound input was refused: ${err[0]}`
  return err.length === 1 && isSentence(err[0] ?? '') ? null : `not one sentence: ${err.join('\n')}`
}

/** A line break would turn one line into two. @param {string} line */
function isBroken(line) {
  return /\p{Cc}/u.test(line)
}

/** @param {string} line */
function isStack(line) {
  return /\n\s+at |Unexpected failure/.test(line)
}

/** @param {string} line */
function isSentence(line) {
  return !isStack(line) && /^[^\n]{10,}[.?]$/.test(line)
}
