// Runs the documents' code outside of this repository, on the packed packages, after a strict type check. Used by documents.boot.test.ts.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Block } from './document-blocks.mjs'
import { CACHE } from './harnesses.mjs'
import { ROOT } from './product-process.ts'

/** Libraries that the documents install with our packages. npm installs the newest that its Node.js can run: `ai` 6 on Node 20. */
const LIBRARIES = [
  ...['ai@>=6 <8', '@ai-sdk/openai@>=3 <5', 'zod@^4.0.0', 'tsx@^4.20.0', '@types/node@^20.19.0'],
  ...['langchain@^1.5.0', '@langchain/core@^1.2.0', '@langchain/langgraph@^1.7.0'],
  ...['@langchain/openai@^1.0.0', '@mastra/core@^1.71.0'],
  ...['@openai/agents@>=0.20 <1', '@modelcontextprotocol/sdk@^1.32.0'],
]

export interface NodeProgram {
  readonly major: number
  readonly program: string
}

/** `cjs`: as `npm init -y` makes it. Both share one `node_modules`. */
export type Kind = 'cjs' | 'esm'

export interface Reader {
  readonly home: string
  readonly node: NodeProgram
}

const OWN_NODE: NodeProgram = {
  major: Number(process.versions.node.split('.')[0]),
  program: process.execPath,
}

/** This Node.js, and 24 beside an older one. `missing`: the reason why that one is not available. */
export function documentNodes(): { nodes: readonly NodeProgram[]; missing: string | null } {
  if (OWN_NODE.major >= 24) return { nodes: [OWN_NODE], missing: null }
  const name = `node-${process.platform}-${process.arch}`
  const { program, missing } = findProgram(`node-24-${process.platform}-${process.arch}`, {
    wanted: `${name}@24`,
    file: `${name}/bin/node`,
  })
  return { nodes: missing === null ? [OWN_NODE, { major: 24, program }] : [OWN_NODE], missing }
}

const BUN = '1.4.5'

/** `missing`: the reason why it is not available; null: it is. */
export function documentBun(): { program: string; missing: string | null } {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@oven/bun-${system}-${process.arch === 'arm64' ? 'aarch64' : process.arch}`
  return findProgram(`bun-${BUN}-${process.platform}-${process.arch}`, {
    wanted: `${name}@${BUN}`,
    file: `${name}/bin/bun${process.platform === 'win32' ? '.exe' : ''}`,
  })
}

/** Programs that npm has as packages are installed beside the harnesses once, and kept. */
function findProgram(
  place: string,
  { wanted, file }: { readonly wanted: string; readonly file: string },
): { program: string; missing: string | null } {
  const folder = path.join(CACHE, '..', place)
  const program = path.join(folder, 'node_modules', file)
  if (fs.existsSync(program)) return { program, missing: null }
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(path.join(folder, 'package.json'), '{"private":true}')
  const { status, stderr } = npm(['install', wanted], folder, OWN_NODE)
  return { program, missing: status === 0 ? null : (stderr.trim().split('\n')[0] ?? '') }
}

function npm(args: readonly string[], cwd: string, node: NodeProgram) {
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  const env = { ...process.env, PATH: pathWith([path.dirname(node.program)]) }
  return spawnSync('npm', [...args, ...quiet], { cwd, env, encoding: 'utf8' })
}

function pathWith(folders: readonly string[]): string {
  return [...folders, process.env['PATH']].join(path.delimiter)
}

export const projectIn = (home: string) => path.join(home, 'my-agent')

export function makeProject({ home, node }: Reader): void {
  const project = projectIn(home)
  fs.mkdirSync(path.join(project, 'esm'), { recursive: true })
  fs.writeFileSync(path.join(project, 'esm/package.json'), '{"type":"module"}')
  const { status, stderr } = npm(['init', '-y'], project, node)
  if (status !== 0) throw new Error(`npm init failed: ${stderr}`)
}

export function installRest({ home, node }: Reader): void {
  const project = projectIn(home)
  const pack = ['pack', '--silent', '--pack-destination', project]
  const workspaces = ['relay', 'cli'].map((name) => `--workspace=@signalbox/${name}`)
  const packed = npm([...pack, ...workspaces], ROOT, node)
  const files = packed.stdout.trim().split('\n')
  install({ home, node }, [...files.map((file) => `./${file}`), ...LIBRARIES])
}

/** Makes the project of `home` as a copy of `project`, with the newest libraries that its Node.js can run. */
export function copyProject({ home, node }: Reader, project: string): void {
  // Hard links: npm replaces files, and never writes into them.
  const { status, stderr } = spawnSync('cp', ['-al', project, home], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`cp failed: ${stderr}`)
  install({ home, node }, LIBRARIES)
}

function install({ home, node }: Reader, packages: readonly string[]): void {
  const { status, stderr } = npm(['install', ...packages], projectIn(home), node)
  if (status !== 0) throw new Error(`npm install failed: ${stderr}`)
}

export function programFile(home: string, kind: Kind, { text, index }: Block): string {
  const extension = /^(?:const .*= )?await |^for .*await /m.test(text) ? 'mts' : 'ts'
  return path.join(projectIn(home), kind === 'esm' ? 'esm' : '', `block-${index}.${extension}`)
}

/** Pairs of module kind and resolution. */
export const RESOLUTIONS = [
  ['nodenext', 'nodenext'],
  ['preserve', 'bundler'],
] as const

/** Type errors in strict mode, one text for each resolution. */
export function typeProblems(
  project: string,
  files: readonly string[],
  resolutions: readonly (typeof RESOLUTIONS)[number][],
): readonly string[] {
  return resolutions.flatMap(([module, moduleResolution]) => {
    const config = path.join(project, `tsconfig.${moduleResolution}.json`)
    const compilerOptions = {
      target: 'es2023',
      module,
      moduleResolution,
      strict: true,
      noEmit: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: true,
      types: ['node'],
    }
    fs.writeFileSync(config, JSON.stringify({ compilerOptions, files }))
    const tsc = path.join(ROOT, 'node_modules/typescript-7/bin/tsc')
    const checked = spawnSync(process.execPath, [tsc, '--project', config, '--singleThreaded'], {
      cwd: project,
      encoding: 'utf8',
    })
    return checked.status === 0 ? [] : [`${moduleResolution}: ${checked.stdout}${checked.stderr}`]
  })
}

/** Environment for npm in another home: its registry and its cache are those of the user who runs the tests. */
export function npmEnvironment(): NodeJS.ProcessEnv {
  return {
    npm_config_cache: path.join(os.homedir(), '.npm'),
    npm_config_userconfig: path.join(os.homedir(), '.npmrc'),
    ...process.env,
  }
}

export function startAs(
  { home, node }: Reader,
  command: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): ChildProcess {
  const [program = '', ...args] = command
  const bins = [path.join(projectIn(home), 'node_modules/.bin'), path.join(home, 'bin')]
  return spawn(program, args, {
    cwd,
    env: { ...env, HOME: home, PATH: pathWith([path.dirname(node.program), ...bins]) },
  })
}

/** `hello`: the first line that it reads; its input ends once it has answered with a line. Absent: its input is empty. */
export async function outcome(child: ChildProcess, hello?: string) {
  let out = ''
  let err = ''
  child.stdin?.on('error', () => undefined)
  if (hello === undefined) child.stdin?.end()
  else child.stdin?.write(`${hello}\n`)
  child.stdout?.on('data', (chunk) => {
    out += chunk
    if (out.includes('\n')) child.stdin?.end()
  })
  child.stderr?.on('data', (chunk) => {
    err += chunk
  })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, out: code === 0 ? out : `${out}${err}` }
}
