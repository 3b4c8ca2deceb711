import { type ChildProcess, spawn } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'

export const ROOT = path.join(import.meta.dirname, '..')

type Environment = Readonly<Record<string, string>>

/** Arguments before a script: it ends at the first command that fails. */
const BASH = ['--norc', '-euo', 'pipefail', '-c']

/** Program that prints its session's id, makes `calls` calls in a real runtime, three events each, ends, and prints "closed". */
export const steadyAgent = (calls: number): string => `
import { createGuardrails } from ${JSON.stringify(path.join(ROOT, 'packages/runtime/dist/index.js'))}
const [url, apiKey, dataDir] = process.argv.slice(2)
const guardrails = createGuardrails({ url, apiKey, prompt: 'demo/release-notes', dataDir })
await guardrails.ready(30000)
const session = guardrails.openSession({})
console.log('session ' + session.id)
for (let i = 0; i < ${calls}; i++) {
  const call = { tool: 'list_files', args: { i }, callId: 'c' + i }
  await session.beforeToolCall(call)
  await session.afterToolCall({ ...call, outcome: 'success', output: 'ok' })
  await new Promise((resolve) => setTimeout(resolve, 20))
}
await session.end({ reason: 'completed' })
await guardrails.close(60000)
console.log('closed')
`

export class ProcessGroup {
  /** Ids of process groups. A killed process may have left a server behind, so all ids are kept. */
  readonly #started = new Set<number>()
  readonly #folders = new Set<string>()

  constructor() {
    // Also when the test file is aborted before its last hook.
    process.once('exit', () => this.endAll())
  }

  /** `args`: of Node.js. */
  start(args: readonly string[], env: Environment = {}): ChildProcess {
    return this.startProgram(process.execPath, args, env)
  }

  startProgram(program: string, args: readonly string[], env: Environment = {}): ChildProcess {
    const child = spawn(program, args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group of its own, to which its child processes belong.
      detached: true,
    })
    if (child.pid !== undefined) this.#started.add(child.pid)
    return child
  }

  /** Also ends the database of the product with data in `folder` when the group ends. */
  endDatabaseIn(folder: string): void {
    this.#folders.add(folder)
  }

  async startProduct(folder: string, port: number, env: Environment = {}): Promise<ChildProcess> {
    const args = ['scripts/start.mjs', '--no-demo', '--port', String(port)]
    this.endDatabaseIn(folder)
    const child = this.start(args, { SIGNALBOX_DATA_DIR: folder, ...env })
    await said(child, /Signalbox is ready/)
    return child
  }

  /** `script`: it ends by executing `npm start` on a port of its own. */
  async startWith(
    script: string,
    folder: string,
  ): Promise<{ child: ChildProcess; output: string }> {
    this.#folders.add(folder)
    const child = this.startProgram('bash', [...BASH, script], { SIGNALBOX_DATA_DIR: folder })
    return { child, output: await said(child, /Signalbox is ready.*\n/) }
  }

  endAll(): void {
    for (const group of this.#started) kill(-group)
    for (const folder of this.#folders) {
      const pid = databasePid(folder)
      if (pid !== null) kill(pid)
    }
    this.#started.clear()
    this.#folders.clear()
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has already ended.
  }
}

/** Process id of the database that the product in `folder` started, which has its own group; null: none runs. */
function databasePid(folder: string): number | null {
  const database = path.join(folder, 'postgres')
  if (!fs.existsSync(database)) return null
  for (const name of fs.readdirSync(database)) {
    const file = path.join(database, name, 'postmaster.pid')
    if (!fs.existsSync(file)) continue
    const pid = Number(fs.readFileSync(file, 'utf8').split('\n')[0])
    // The file outlives a killed database, and its number may belong to another process by now.
    if (readCommandLine(pid).includes(database)) return pid
  }
  return null
}

/** Empty: there is no such process, or this system has no /proc. */
function readCommandLine(pid: number): string {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

/** Resolves with the process's output once it contains `wanted`; rejects when the process ends before. */
export function said(child: ChildProcess, wanted: RegExp): Promise<string> {
  let output = ''
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString()
      if (wanted.test(output)) resolve(output)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${output}`)))
  })
}

export function exited(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve()
    else child.once('exit', () => resolve())
  })
}

export interface Outcome {
  readonly code: number | null
  readonly said: string
  readonly complained: string
}

/** `args`: of Node.js. */
export const runToEnd = (args: readonly string[], env: Environment): Promise<Outcome> =>
  runProgram(process.execPath, args, env)

/** Environment of npm without its own messages. */
export const runScript = (script: string, env: Environment): Promise<Outcome> =>
  runProgram('bash', [...BASH, script], { npm_config_update_notifier: 'false', ...env })

async function runProgram(
  program: string,
  args: readonly string[],
  env: Environment,
): Promise<Outcome> {
  const child = spawn(program, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [said, complained] = ['', '']
  child.stdout.on('data', (bytes: Buffer) => {
    said += bytes.toString()
  })
  child.stderr.on('data', (bytes: Buffer) => {
    said += bytes.toString()
    complained += bytes.toString()
  })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, said: said.trim(), complained: complained.trim() }
}

export function webPid(folder: string): number {
  const holder: { webPid: number } = JSON.parse(
    fs.readFileSync(path.join(folder, 'start.lock'), 'utf8'),
  )
  return holder.webPid
}

interface Secrets {
  readonly demoKey: string
  readonly setupToken: string
}

export function readSecrets(folder: string): Secrets {
  return JSON.parse(fs.readFileSync(path.join(folder, 'secrets.json'), 'utf8'))
}

/** Parallel processes try different ports, and each reuses a port only after all of its others. */
const [END_PORT, PROCESSES] = [32_000, 600]
const FIRST_PORT = 20_000 + (process.pid % PROCESSES)
let next = FIRST_PORT

/** Returns a port below the range of outgoing connections: a retrying agent must not occupy the server's port. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = next
    next = port + PROCESSES < END_PORT ? port + PROCESSES : FIRST_PORT
    const isFree = await new Promise<boolean>((resolve) => {
      const probe = net.createServer()
      probe.once('error', () => resolve(false))
      probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
    })
    if (isFree) return port
  }
}
