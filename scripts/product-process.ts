// The product, and other programs of this repository, as processes that a test may kill. Tests only.
import { type ChildProcess, spawn } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'

export const ROOT = path.join(import.meta.dirname, '..')

type Environment = Readonly<Record<string, string>>

/** Processes of one test file; `endAll` kills what is left of them. */
export class ProcessGroup {
  readonly #running = new Set<ChildProcess>()

  /** `args`: of Node.js. */
  start(args: readonly string[], env: Environment = {}): ChildProcess {
    const child = spawn(process.execPath, args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#running.add(child)
    child.once('exit', () => this.#running.delete(child))
    return child
  }

  /** Resolves when it says that it is ready; data and secrets lie in `folder`. */
  async startProduct(folder: string, port: number): Promise<ChildProcess> {
    const args = ['scripts/start.mjs', '--no-demo', '--port', String(port)]
    const child = this.start(args, { SIGNALBOX_DATA_DIR: folder })
    await said(child, /Signalbox is ready/)
    return child
  }

  endAll(): void {
    for (const child of this.#running) child.kill('SIGKILL')
  }
}

/** Resolves with what the process wrote once it holds `wanted`; rejects when it ends before. */
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

/** Of the web server that the product in `folder` runs. */
export function webPid(folder: string): number {
  const holder: { webPid: number } = JSON.parse(
    fs.readFileSync(path.join(folder, 'start.lock'), 'utf8'),
  )
  return holder.webPid
}

export function demoKeyOf(folder: string): string {
  const { demoKey }: { demoKey: string } = JSON.parse(
    fs.readFileSync(path.join(folder, 'secrets.json'), 'utf8'),
  )
  return demoKey
}

/** Below the range that outgoing connections take theirs from: a retrying agent must not occupy the server's port. */
export async function freePort(): Promise<number> {
  for (let port = 20_000 + (process.pid % 5000); ; port++) {
    const isFree = await new Promise<boolean>((resolve) => {
      const probe = net.createServer()
      probe.once('error', () => resolve(false))
      probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
    })
    if (isFree) return port
  }
}
