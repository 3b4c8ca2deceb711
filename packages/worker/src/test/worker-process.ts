import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { startProgram } from '@signalbox/testkit'
import { onTestFinished, vi } from 'vitest'

export interface WorkerProcess {
  /** Ends of the lease as the worker reported them, in epoch milliseconds, in order. */
  leaseEnds(): readonly number[]
  kill(): Promise<void>
}

/** Resolves when the worker has received its message. `args`: backend, address, mailbox, `beating` or `silent`. */
export async function startWorker(args: readonly string[]): Promise<WorkerProcess> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-worker-'))
  const worker = await startProgram(path.join(import.meta.dirname, 'leased-agent.ts'), {
    folder,
    args,
  })
  const gone = once(worker, 'exit')
  const kill = async () => {
    worker.kill('SIGKILL')
    await gone
  }
  onTestFinished(async () => {
    await kill()
    fs.rmSync(folder, { recursive: true, force: true })
  })
  let output = ''
  worker.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  const leaseEnds = () =>
    output
      .slice(0, output.lastIndexOf('\n') + 1)
      .split('\n')
      .filter(Boolean)
      .map(Number)
  await vi.waitUntil(() => leaseEnds().length > 0, { timeout: 20_000 })
  return { leaseEnds, kill }
}
