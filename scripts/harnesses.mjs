// @ts-check
// `npm run harnesses -- --tier all`: into the user's cache, one folder per lock, so that a second clone downloads nothing.
import { spawnSync } from 'node:child_process'
import crypto from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describeError, EXIT } from '../server/platform/base/failure.mjs'
import { ROOT } from './build-steps.mjs'
import { moveInto } from './system-programs.mjs'

/** @typedef {'first' | 'second'} Tier */
/** @type {readonly Tier[]} */
const TIERS = ['first', 'second']

/** Third-party programs, kept between runs and clones. */
export const CACHE = path.join(
  process.env['XDG_CACHE_HOME'] || path.join(os.homedir(), '.cache'),
  'signalbox/harnesses',
)

/** @param {Tier} tier */
function resolveTierPlaces(tier) {
  const folder = path.join(ROOT, 'packages/testkit/harnesses', tier)
  const lock = fs.readFileSync(path.join(folder, 'package-lock.json'))
  const hash = crypto.createHash('sha256').update(lock).digest('hex').slice(0, 16)
  const cached = path.join(CACHE, `${tier}-${hash}-${process.platform}-${process.arch}`)
  return {
    folder,
    cached,
    link: path.join(folder, 'node_modules'),
    target: path.join(cached, 'node_modules'),
  }
}

/** True: tests find the tier as its lock specifies. @param {Tier} tier */
export function hasHarnesses(tier) {
  const { link, target } = resolveTierPlaces(tier)
  return (
    fs.existsSync(link) &&
    fs.existsSync(target) &&
    fs.realpathSync(link) === fs.realpathSync(target)
  )
}

/**
 * @param {Tier} tier
 * @returns {string | null} reason why it cannot be installed; null: installed
 */
export function ensureHarnesses(tier) {
  try {
    if (hasHarnesses(tier)) return null
    const { folder, cached, link, target } = resolveTierPlaces(tier)
    if (!fs.existsSync(cached)) install(folder, cached)
    fs.rmSync(link, { recursive: true, force: true })
    fs.symlinkSync(target, link, 'junction')
    return null
  } catch (error) {
    return `The ${tier} tier of harnesses cannot be installed: ${describeError(error)}`
  }
}

/**
 * Renames a temporary folder, so that a folder with the final name is always complete.
 * @param {string} folder
 * @param {string} cached
 */
function install(folder, cached) {
  const started = Date.now()
  process.stdout.write(`Installing agent harnesses into ${cached} …\n`)
  fs.mkdirSync(CACHE, { recursive: true })
  const partial = fs.mkdtempSync(`${cached}.`)
  try {
    for (const name of ['package.json', 'package-lock.json']) {
      fs.copyFileSync(path.join(folder, name), path.join(partial, name))
    }
    npmCi(partial)
    // Tests load packages through this module, which resolves them in the harnesses' folder.
    const loader = 'export const load = (name) => import(name)\n'
    fs.writeFileSync(path.join(partial, 'node_modules/signalbox-load.mjs'), loader)
    moveInto(partial, cached)
  } finally {
    fs.rmSync(partial, { recursive: true, force: true })
  }
  process.stdout.write(`Installed in ${((Date.now() - started) / 1000).toFixed(1)} s\n`)
}

/** Runs no scripts: native programs are packages of their own, of which npm installs only this platform's. @param {string} folder */
function npmCi(folder) {
  const quick = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000']
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--include=optional', ...quick]
  const { status, stderr, error } = spawnSync('npm', args, {
    cwd: folder,
    encoding: 'utf8',
    shell: process.platform === 'win32',
    timeout: 10 * 60_000,
  })
  if (error !== undefined) throw error
  if (status === 0) return
  const lines = stderr.split('\n').filter((line) => line.startsWith('npm error'))
  throw new Error(lines.slice(0, 4).join('; ') || `npm ci ended with ${status}`)
}

/** @param {readonly string[]} args @returns {readonly Tier[] | null} */
function parseTiers(args) {
  if (args.length === 0) return ['first']
  const [option, wanted] = args
  if (option !== '--tier' || args.length !== 2) return null
  if (wanted === 'all') return TIERS
  return TIERS.filter((tier) => tier === wanted)
}

function main() {
  const tiers = parseTiers(process.argv.slice(2))
  if (tiers === null || tiers.length === 0) {
    process.stderr.write('Usage: npm run harnesses -- [--tier first|second|all]\n')
    return EXIT.usage
  }
  const reasons = tiers.map(ensureHarnesses).filter((reason) => reason !== null)
  for (const reason of reasons) process.stdout.write(`${reason}\n`)
  if (reasons.length === 0) process.stdout.write(`Installed: ${tiers.join(', ')}\n`)
  // Outside CI, the tests of these harnesses are skipped; in CI no one would notice that.
  return reasons.length > 0 && process.env['CI'] ? EXIT.installFailed : 0
}

if (process.argv[1] === import.meta.filename) process.exitCode = main()
