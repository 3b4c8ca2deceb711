// @ts-check
// A step is skipped while its inputs have the content of its last success, wherever the tree is.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { Failure, isDiskFull } from '../server/platform/base/failure.mjs'
import { computeStamp } from './content-stamp.mjs'
import { oneAtATime } from './one-at-a-time.mjs'
import { precompress } from './precompressed.mjs'

export const ROOT = path.join(import.meta.dirname, '..')
const STAMPS = path.join(ROOT, 'node_modules/.cache/signalbox/steps.json')
const LOCK = path.join(ROOT, '.prepare.lock')
/** File in the root of an unpacked release, which contains the outputs of all steps. */
export const MARKER = path.join(ROOT, 'release.json')
/** A running server reads `.next`, so the next build goes to another folder. */
const WEB_BUILD = '.next'
const NEW_WEB_BUILD = '.next.new'
const PREFIXED_WEB_BUILD = '.next.prefix'

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {readonly string[]} inputs files and folders, relative to the root
 * @property {readonly string[]} outputs files that must exist for the step to count as done
 * @property {string} doing
 * @property {readonly string[]} command
 * @property {'installFailed' | 'buildFailed'} failure
 * @property {Readonly<Record<string, string>>} [env]
 * @property {() => Promise<void>} [finish] called after the command succeeded
 */

/** @type {Step} */
const install = {
  name: 'install',
  // The lock repeats every dependency of package.json.
  inputs: ['package-lock.json'],
  outputs: ['node_modules/next/package.json'],
  doing: 'Installing packages',
  command: ['npm', 'ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund'],
  failure: 'installFailed',
}

/** @type {Step} */
const generate = {
  name: 'generate',
  inputs: ['prisma/schema.prisma', 'prisma.config.ts', 'package-lock.json'],
  outputs: ['server/platform/db/generated/client.ts'],
  doing: 'Generating the database client',
  command: ['node', 'node_modules/prisma/build/index.js', 'generate'],
  failure: 'buildFailed',
}

/** @type {Step} */
const packages = {
  name: 'packages',
  inputs: ['packages', 'examples', 'package-lock.json'],
  outputs: ['packages/cli/dist/main.js', 'examples/demo-agent/dist'],
  doing: 'Compiling the packages',
  // Types are checked separately; without that check, this takes a third of the time.
  command: [
    'node',
    'node_modules/typescript-7/bin/tsc',
    '-b',
    '--noCheck',
    'packages/tsconfig.build.json',
  ],
  failure: 'buildFailed',
}

/** @type {Step} */
const page = {
  name: 'page',
  inputs: [
    'components/pages/open-page.tsx',
    'components/pages/portable-main.tsx',
    'components/portable',
    'components/explanations',
    'components/ui',
    'app/globals.css',
    'packages/core/src',
    'packages/wire/src',
    'packages/cli/src/portable',
    'scripts/build-page.mjs',
    'package-lock.json',
  ],
  outputs: ['packages/cli/dist/portable-page.html'],
  doing: 'Building the page that opens portable bundles',
  command: ['node', 'scripts/build-page.mjs'],
  failure: 'buildFailed',
}

/** @type {Step} */
const command = {
  name: 'command',
  inputs: [
    'packages',
    'scripts/build-command.mjs',
    'scripts/bundle-command.mjs',
    'scripts/python-package.mjs',
    'package-lock.json',
  ],
  outputs: ['packages/cli/dist/bin/main.js', 'dist/packages'],
  doing: 'Packing the command',
  command: ['node', 'scripts/build-command.mjs'],
  failure: 'buildFailed',
}

const webInputs = [
  'app',
  'components',
  'server',
  'packages/core/src',
  'packages/wire/src',
  'prisma/schema.prisma',
  'next.config.mjs',
  'scripts/precompressed.mjs',
  'postcss.config.mjs',
  'proxy.ts',
  'instrumentation.ts',
  'tsconfig.json',
  'package-lock.json',
]

/** @param {string} prefix `/guard`; empty: no prefix */
export function selectWebBuild(prefix) {
  return prefix === '' ? WEB_BUILD : PREFIXED_WEB_BUILD
}

/** @param {string} prefix @returns {Step} */
function webFor(prefix) {
  const folder = selectWebBuild(prefix)
  return {
    name: prefix === '' ? 'web' : 'web with prefix',
    inputs: webInputs,
    outputs: [`${folder}/BUILD_ID`],
    doing: prefix === '' ? 'Building the console' : `Building the console for ${prefix}`,
    command: ['node', 'node_modules/next/dist/bin/next', 'build'],
    failure: 'buildFailed',
    env: { SIGNALBOX_BUILD_FOLDER: NEW_WEB_BUILD, SIGNALBOX_PREFIX: prefix },
    finish: () => replaceWebBuild(folder),
  }
}

/** @param {string} folder */
async function replaceWebBuild(folder) {
  const current = path.join(ROOT, folder)
  const fresh = path.join(ROOT, NEW_WEB_BUILD)
  await precompress(fresh)
  const old = `${current}.old`
  fs.rmSync(old, { recursive: true, force: true })
  if (fs.existsSync(current)) fs.renameSync(current, old)
  fs.renameSync(fresh, current)
  fs.rmSync(old, { recursive: true, force: true })
  // Next wrote the name of the folder that it built into.
  const types = path.join(ROOT, 'next-env.d.ts')
  const text = fs.readFileSync(types, 'utf8')
  fs.writeFileSync(types, text.replaceAll(`./${NEW_WEB_BUILD}/`, `./${WEB_BUILD}/`))
}

/**
 * Version and prefix of the release in the root; null: a checkout, whose build has no prefix.
 * @returns {{ version: string, prefix: string } | null}
 */
export function releaseHere() {
  return fs.existsSync(MARKER) ? JSON.parse(fs.readFileSync(MARKER, 'utf8')) : null
}

/** Installs the packages that all other modules need. Rejects like `prepare`. @param {AbortSignal} [signal] */
export async function installPackages(signal) {
  await runSteps([[install]], signal)
}

/**
 * Rejects when `signal` aborts; an interrupted step runs again at the next start.
 * @param {{ web: boolean, prefix?: string, signal?: AbortSignal }} options `web: false` for the development server, which builds on demand
 */
export async function prepare({ web, prefix = '', signal }) {
  // The build of the console reads dist/packages, which packing the command replaces.
  const last = web ? [[command], [webFor(prefix)]] : [[command]]
  await runSteps([[install], [generate, packages, page], ...last], signal)
}

/**
 * Runs one group after another, and the steps of a group at the same time: most steps use one core.
 * @param {readonly (readonly Step[])[]} groups @param {AbortSignal} [signal]
 */
async function runSteps(groups, signal) {
  if (releaseHere() !== null || groups.flat().every(isDone)) return
  await oneAtATime(
    LOCK,
    async () => {
      for (const group of groups) await runGroup(group, signal)
    },
    signal,
  )
}

/**
 * Rejects only after all steps have ended, so that none still writes when the lock is released.
 * @param {readonly Step[]} group @param {AbortSignal} [signal]
 */
async function runGroup(group, signal) {
  const pending = group.filter((step) => !isDone(step))
  const results = await Promise.allSettled(pending.map((step) => run(step, signal)))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

/** @param {Step} step */
function isDone(step) {
  const isSame = readStamps()[step.name] === stampFor(step)
  return isSame && step.outputs.every((output) => fs.existsSync(path.join(ROOT, output)))
}

/** @param {Step} step */
function stampFor({ inputs, env }) {
  return `${computeStamp(ROOT, inputs)}${env?.['SIGNALBOX_PREFIX'] ?? ''}`
}

/** @param {Step} step @param {AbortSignal} [signal] */
async function run(step, signal) {
  const started = Date.now()
  // Computed before the step, so that a file that changes meanwhile makes the step run again.
  const stamp = stampFor(step)
  process.stdout.write(`${step.doing} …\n`)
  const result = await execute(step, signal)
  signal?.throwIfAborted()
  if (result.code !== 0) throw toBuildFailure(step, result)
  await step.finish?.()
  process.stdout.write(`${step.doing}: ${((Date.now() - started) / 1000).toFixed(1)} s\n`)
  fs.mkdirSync(path.dirname(STAMPS), { recursive: true })
  fs.writeFileSync(STAMPS, JSON.stringify({ ...readStamps(), [step.name]: stamp }))
}

/**
 * Resolves when the command has ended, even when `signal` ended it.
 * @param {Step} step
 * @param {AbortSignal} [signal]
 * @returns {Promise<{ code: number | null, output: string }>}
 */
function execute(step, signal) {
  const [program, ...args] = step.command
  const child = spawn(program === 'node' ? process.execPath : (program ?? ''), args, {
    cwd: ROOT,
    env: {
      ...process.env,
      NEXT_TELEMETRY_DISABLED: '1',
      CHECKPOINT_DISABLE: '1',
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
      ...step.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32' && program === 'npm',
    ...(signal === undefined ? {} : { signal }),
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  }
  return new Promise((resolve) => {
    child.on('error', (error) => {
      output += error.message
      // A program that could not be started emits no end.
      if (child.pid === undefined) resolve({ code: null, output })
    })
    child.on('close', (code) => resolve({ code, output }))
  })
}

/** @param {Step} step @param {{ code: number | null, output: string }} result */
function toBuildFailure(step, { code, output }) {
  if (isDiskFull(output)) {
    return new Failure(
      'diskFull',
      `The disk is full: "${step.command.join(' ')}" could not write. Free some space and start again.`,
    )
  }
  process.stdout.write(
    `${step.doing} failed:\n${output.trim().split('\n').slice(-40).join('\n')}\n`,
  )
  return new Failure(
    step.failure,
    `${step.doing} failed: "${step.command.join(' ')}" ended with code ${code}. Its last output is above.`,
  )
}

/** @returns {{ [name: string]: string }} */
function readStamps() {
  return fs.existsSync(STAMPS) ? JSON.parse(fs.readFileSync(STAMPS, 'utf8')) : {}
}
