// Runs the program of a harness with nothing of the user's environment but PATH, and always ends it.
import { spawn } from 'node:child_process'
import process from 'node:process'

export interface HarnessCommand {
  readonly program: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: { readonly [name: string]: string }
  /** Sent to standard input, which then ends. Absent: empty. */
  readonly stdin?: string
  /** Milliseconds until the process and its children are killed. Absent: 60,000. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

export interface HarnessExit {
  /** null: the process was killed. */
  readonly exitCode: number | null
  readonly timedOut: boolean
  readonly stdout: string
  readonly stderr: string
}

const TIMEOUT_MS = 60_000

/** Rejects only when the program cannot be started. */
export async function runHarness(command: HarnessCommand): Promise<HarnessExit> {
  const child = spawn(command.program, command.args, {
    cwd: command.cwd,
    env: buildEnvironment(command.env),
    // A process group of its own, so that child processes of the harness end with it.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const stdout = readStreamText(child.stdout)
  const stderr = readStreamText(child.stderr)
  child.stdin.on('error', () => undefined)
  child.stdin.end(command.stdin ?? '')
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    endGroup(child.pid)
  }, command.timeoutMs ?? TIMEOUT_MS)
  const abort = () => endGroup(child.pid)
  command.signal?.addEventListener('abort', abort)
  if (command.signal?.aborted === true) abort()
  try {
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', (code) => resolve(code))
    })
    endGroup(child.pid)
    return { exitCode, timedOut, stdout: await stdout, stderr: await stderr }
  } finally {
    clearTimeout(timer)
    command.signal?.removeEventListener('abort', abort)
  }
}

export function buildEnvironment(env: HarnessCommand['env']): NodeJS.ProcessEnv {
  // Next.js declares NODE_ENV as required; a harness gets none.
  return { PATH: readSystemPath(), ...env } as unknown as NodeJS.ProcessEnv
}

/** The only variable that a harness inherits: without it no program is found. */
export function readSystemPath(): string {
  // biome-ignore lint/style/noProcessEnv: every process needs PATH
  return process.env['PATH'] ?? ''
}

async function readStreamText(stream: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The whole group has already ended.
  }
}
