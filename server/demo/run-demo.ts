// Runs a story of the demo as a separate process. One at a time in the installation.
import 'server-only'
import { spawn } from 'node:child_process'
import { newDemoSessionId } from '@signalbox/wire'
import { describeKey } from '@/server/platform/auth/api-key.ts'
import { findKeyByPrefix } from '@/server/platform/auth/keys.sql.ts'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { env } from '@/server/platform/base/env.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { listNewestRuns, lockDemo, type StoryRun } from './demo.sql.ts'
import type { StoryName } from './demo-input.ts'
import { ensureStoryConfig } from './story-configs.ts'

const LONGEST_MS = 120_000

/** The demo's key belongs to one project, and an agent with an invalid key would be refused. */
async function runsHere({ projectId }: ProjectScope): Promise<boolean> {
  const { SIGNALBOX_DEMO_KEY: secret } = env()
  const given = secret === undefined ? null : describeKey(secret)
  const key = given === null ? null : await findKeyByPrefix(given.prefix)
  if (key === null || key.revokedAt !== null) return false
  return key.projectId === projectId && (key.expiresAt === null || key.expiresAt > Date.now())
}

/** Null: the demo does not run in this project. */
export async function loadStories(scope: ProjectScope): Promise<readonly StoryRun[] | null> {
  return (await runsHere(scope)) ? await listNewestRuns(scope.projectId) : null
}

/** Resolves once the agent has started; the session is listed with its first events. */
export async function runDemo(
  scope: ProjectScope,
  story: StoryName,
): Promise<{ readonly sessionId: string }> {
  if (!(await runsHere(scope))) {
    throw new ServiceError(
      'unavailable',
      'The demo cannot run here: this server has no valid key for it, or the key is of another project. Start it with "npm start", and open the first project.',
    )
  }
  const release = await lockDemo()
  if (release === null) {
    throw new ServiceError('conflict', 'A story of the demo is already running. Wait for its end.')
  }
  try {
    await ensureStoryConfig(scope, story)
    return await startAgent(story, release)
  } catch (error) {
    release()
    throw error
  }
}

async function startAgent(
  story: StoryName,
  onEnd: () => void,
): Promise<{ readonly sessionId: string }> {
  const random = crypto.getRandomValues(new Uint8Array(16))
  const sessionId = newDemoSessionId({ now: Date.now(), random })
  const args = ['scripts/demo.mjs', '--story', story, '--session', sessionId]
  const child = spawn(process.execPath, args, { stdio: 'ignore', timeout: LONGEST_MS })
  child.once('exit', onEnd)
  return await new Promise((resolve, reject) => {
    child.once('spawn', () => resolve({ sessionId }))
    child.once('error', (error) =>
      reject(
        new ServiceError('unavailable', `The demo agent could not be started: ${error.message}.`),
      ),
    )
  })
}
