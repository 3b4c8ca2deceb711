// @ts-check
// Everything between a fresh clone and a program that can be started: install, generate, compile, build. Each step is
// skipped while its inputs (names, sizes, times of files) are those of its last success.
import { spawnSync } from 'node:child_process'
import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { Failure, isDiskFull } from './failure.mjs'
import { oneAtATime } from './one-at-a-time.mjs'

export const ROOT = path.join(import.meta.dirname, '..')
const STAMPS = path.join(ROOT, 'node_modules/.cache/signalbox/steps.json')
const LOCK = path.join(ROOT, '.prepare.lock')
const IGNORED = new Set(['node_modules', 'dist', '.next', 'generated', '.signalbox'])

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {readonly string[]} inputs files and folders, relative to the root
 * @property {string} output something that must exist for the step to count as done
 * @property {string} doing
 * @property {readonly string[]} command
 * @property {'installFailed' | 'buildFailed'} failure
 */

/** @type {Step} */
const install = {
  name: 'install',
  inputs: ['package-lock.json', 'package.json'],
  output: 'node_modules/next/package.json',
  doing: 'Installing packages',
  command: ['npm', 'ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund'],
  failure: 'installFailed',
}

/** @type {Step} */
const generate = {
  name: 'generate',
  inputs: ['prisma/schema.prisma', 'prisma.config.ts', 'package-lock.json'],
  output: 'server/db/generated/client.ts',
  doing: 'Generating the database client',
  command: ['node', 'node_modules/prisma/build/index.js', 'generate'],
  failure: 'buildFailed',
}

/** @type {Step} */
const packages = {
  name: 'packages',
  inputs: ['packages', 'examples', 'package-lock.json'],
  output: 'packages/cli/dist/main.js',
  doing: 'Compiling the packages',
  // Types are a check of their own; without them this takes a third of the time.
  command: [
    ...['node', 'node_modules/typescript/bin/tsc', '-b'],
    ...['--noCheck', 'packages/tsconfig.build.json'],
  ],
  failure: 'buildFailed',
}

/** @type {Step} */
const page = {
  name: 'page',
  inputs: [
    'components/portable',
    'components/audit',
    'components/stops/stop-headline.ts',
    'components/ui',
    'app/globals.css',
    'packages/core/src',
    'packages/wire/src',
    'packages/cli/src/portable',
    'scripts/build-page.mjs',
    'package-lock.json',
  ],
  output: 'packages/cli/dist/portable-page.html',
  doing: 'Building the page that opens portable bundles',
  command: ['node', 'scripts/build-page.mjs'],
  failure: 'buildFailed',
}

/** @type {Step} */
const command = {
  name: 'command',
  inputs: ['packages', 'scripts/build-command.mjs', 'package-lock.json'],
  output: 'dist/packages',
  doing: 'Packing the command',
  command: ['node', 'scripts/build-command.mjs'],
  failure: 'buildFailed',
}

/** @type {Step} */
const web = {
  name: 'web',
  inputs: [
    'app',
    'components',
    'server',
    'packages/core/src',
    'packages/wire/src',
    'prisma/schema.prisma',
    'next.config.mjs',
    'postcss.config.mjs',
    'proxy.ts',
    'instrumentation.ts',
    'tsconfig.json',
    'package-lock.json',
  ],
  output: '.next/BUILD_ID',
  doing: 'Building the console',
  command: ['node', 'node_modules/next/dist/bin/next', 'build'],
  failure: 'buildFailed',
}

/** @param {{ web: boolean }} options `web: false` for the development server, which builds as it goes */
export function prepare(options) {
  const steps = [install, generate, packages, page, command, ...(options.web ? [web] : [])]
  if (steps.every(isDone)) return
  oneAtATime(LOCK, () => {
    for (const step of steps) if (!isDone(step)) run(step)
  })
}

/** @param {Step} step */
function isDone(step) {
  const isSame = readStamps()[step.name] === stampOf(step.inputs)
  return isSame && fs.existsSync(path.join(ROOT, step.output))
}

/** @param {Step} step */
function run(step) {
  const started = Date.now()
  process.stdout.write(`${step.doing} … `)
  const [program, ...args] = step.command
  const result = spawnSync(program === 'node' ? process.execPath : (program ?? ''), args, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: {
      ...process.env,
      NEXT_TELEMETRY_DISABLED: '1',
      CHECKPOINT_DISABLE: '1',
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
    },
    shell: process.platform === 'win32' && program === 'npm',
  })
  if (result.status !== 0) throw failureOf(step, result)
  process.stdout.write(`${((Date.now() - started) / 1000).toFixed(1)} s\n`)
  fs.mkdirSync(path.dirname(STAMPS), { recursive: true })
  fs.writeFileSync(STAMPS, JSON.stringify({ ...readStamps(), [step.name]: stampOf(step.inputs) }))
}

/** @param {Step} step @param {import('node:child_process').SpawnSyncReturns<string>} result */
function failureOf(step, result) {
  const output = `${result.stdout ?? ''}${result.stderr ?? ''}${result.error?.message ?? ''}`
  if (isDiskFull(output)) {
    return new Failure(
      'diskFull',
      `The disk is full: "${step.command.join(' ')}" could not write. Free some space and start again.`,
    )
  }
  process.stdout.write(`failed\n${output.trim().split('\n').slice(-40).join('\n')}\n`)
  return new Failure(
    step.failure,
    `${step.doing} failed: "${step.command.join(' ')}" ended with code ${result.status}. Its last output is above.`,
  )
}

/** @returns {{ [name: string]: string }} */
function readStamps() {
  return fs.existsSync(STAMPS) ? JSON.parse(fs.readFileSync(STAMPS, 'utf8')) : {}
}

/** @param {readonly string[]} inputs */
function stampOf(inputs) {
  const hash = crypto.createHash('sha256')
  for (const input of inputs) addTo(hash, path.join(ROOT, input))
  return hash.digest('hex')
}

/** @param {crypto.Hash} hash @param {string} file */
function addTo(hash, file) {
  if (!fs.existsSync(file)) return
  const stat = fs.statSync(file)
  if (!stat.isDirectory()) {
    hash.update(`${file}\0${stat.size}\0${stat.mtimeMs}\0`)
    return
  }
  for (const name of fs.readdirSync(file).sort()) {
    if (!IGNORED.has(name) && !name.endsWith('.tsbuildinfo')) addTo(hash, path.join(file, name))
  }
}
