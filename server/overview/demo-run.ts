// Runs the demo agent as a separate process when the empty Overview requests it. One at a time.
import 'server-only'
import { type ChildProcess, spawn } from 'node:child_process'
import { env } from '@/server/platform/env.ts'
import { ServiceError } from '@/server/platform/errors.ts'

const LONGEST_MS = 120_000

let running: ChildProcess | undefined

/** Resolves once the agent has started; its work appears as a session. */
export async function runDemo(): Promise<{ readonly started: true }> {
  if (running !== undefined) {
    throw new ServiceError(
      'conflict',
      'The demo agent is already running. Watch it under Sessions.',
    )
  }
  if (env().SIGNALBOX_DEMO_KEY === undefined) {
    throw new ServiceError(
      'unavailable',
      'This server has no key for the demo agent. Start it with "npm start".',
    )
  }
  const child = spawn(process.execPath, ['scripts/demo.mjs'], {
    stdio: 'ignore',
    timeout: LONGEST_MS,
  })
  running = child
  child.once('exit', () => {
    running = undefined
  })
  return await new Promise((resolve, reject) => {
    child.once('spawn', () => resolve({ started: true }))
    child.once('error', (error) => {
      running = undefined
      reject(
        new ServiceError('unavailable', `The demo agent could not be started: ${error.message}.`),
      )
    })
  })
}
