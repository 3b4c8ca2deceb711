import { type ChildProcess, spawn } from 'node:child_process'
import { JsonLines } from './json-lines.ts'

export interface ChildCommand {
  readonly program: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

/** Milliseconds for a process to end after the end of its input, and again after SIGTERM. */
const PATIENCE_MS = 1000
const OUR_SECRETS = ['SIGNALBOX_API_KEY', 'SIGNALBOX_KEY', 'SIGNALBOX_DAEMON_TOKEN'] as const

export function childEnvironment(env: {
  readonly [name: string]: string | undefined
}): NodeJS.ProcessEnv {
  const secrets = Object.fromEntries(OUR_SECRETS.map((name) => [name, undefined]))
  // Next.js declares NODE_ENV as required; a process may have none.
  return { ...env, ...secrets } as NodeJS.ProcessEnv
}

/** `start` starts the process and rejects when that fails. */
export function childLines(command: ChildCommand): JsonLines {
  return new JsonLines({ connect: () => startChild(command), refusesLines: false })
}

async function startChild({ program, args, cwd, env }: ChildCommand) {
  const child = spawn(program, [...args], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] })
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    // Also emitted for a signal that could not be sent; the end is still awaited.
    child.on('error', reject)
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  return { input: child.stdout, output: child.stdin, end: () => endChild(child, ended) }
}

async function endChild(child: ChildProcess, ended: Promise<void>): Promise<void> {
  child.stdin?.end()
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (await isOver(ended)) return
    child.kill(signal)
  }
  await ended
}

async function isOver(ended: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), PATIENCE_MS)
  })
  try {
    return await Promise.race([ended.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}
