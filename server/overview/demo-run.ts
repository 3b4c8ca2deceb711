// Runs the demo agent as a separate process when the empty Overview requests it. One at a time in the installation.
import 'server-only'
import { spawn } from 'node:child_process'
import { env } from '@/server/platform/base/env.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { lockDemo } from './overview.sql.ts'

const LONGEST_MS = 120_000

/** Resolves once the agent has started; its work appears as a session. */
export async function runDemo(): Promise<{ readonly started: true }> {
  if (env().SIGNALBOX_DEMO_KEY === undefined) {
    throw new ServiceError(
      'unavailable',
      'This server has no key for the demo agent. Start it with "npm start".',
    )
  }
  const release = await lockDemo()
  if (release === null) {
    throw new ServiceError(
      'conflict',
      'The demo agent is already running. Watch it under Sessions.',
    )
  }
  const child = spawn(process.execPath, ['scripts/demo.mjs'], {
    stdio: 'ignore',
    timeout: LONGEST_MS,
  })
  child.once('exit', release)
  return await new Promise((resolve, reject) => {
    child.once('spawn', () => resolve({ started: true }))
    child.once('error', (error) => {
      release()
      reject(
        new ServiceError('unavailable', `The demo agent could not be started: ${error.message}.`),
      )
    })
  })
}
