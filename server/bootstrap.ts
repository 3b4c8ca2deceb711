// Runs at every start and changes nothing that exists. Several replicas may start at once, so a lock orders them.

import { hasConfigs } from '@/server/configs/first-config.sql.ts'
import { DEMO_KEY_NAME } from '@/server/demo/demo-input.ts'
import {
  DEMO_ENVIRONMENT,
  readStoryConfig,
  releaseStoryConfig,
} from '@/server/demo/story-configs.ts'
import { finishRemovals } from '@/server/people/projects.ts'
import { describeKey, type GeneratedKey } from '@/server/platform/auth/api-key.ts'
import { recordAudit } from '@/server/platform/auth/audit.sql.ts'
import { insertKey, prefixTaken } from '@/server/platform/auth/keys.sql.ts'
import { isServedHere } from '@/server/platform/auth/members.sql.ts'
import { ensureProject } from '@/server/platform/auth/projects.sql.ts'
import { SYSTEM_ACTOR } from '@/server/platform/auth/system.ts'
import { env } from '@/server/platform/base/env.ts'
import {
  inTransaction,
  isDirectoryHere,
  lockByName,
  type Tx,
} from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { adoptSigningKeys } from '@/server/signing-keys/signing-keys.ts'

/** Rejects with a sentence when the environment, the demo key or the demo config cannot be used. */
export async function bootstrap(): Promise<void> {
  // The cell of the directory sets the installation up.
  if (!isDirectoryHere()) return await finishRemovals()
  const { SIGNALBOX_DEMO_KEY: secret } = env()
  const key = secret === undefined ? undefined : describeKey(secret)
  if (key === null) throw new Error('SIGNALBOX_DEMO_KEY does not have the form sbx_<8>_<43>.')
  const demo = await readStoryConfig('release-notes')
  await inTransaction(async (tx) => {
    await lockByName(tx, 'bootstrap')
    const projectId = await ensureProject(tx)
    await adoptSigningKeys(tx)
    // It may have moved to another cell.
    if (!(await isServedHere(tx, projectId))) return
    if (key !== undefined) await ensureDemoKey(tx, projectId, key)
    if (demo !== null && !(await hasConfigs(tx, projectId))) {
      await releaseStoryConfig(tx, projectId, demo)
    }
  })
  await finishRemovals()
}

async function ensureDemoKey(
  tx: Tx,
  projectId: AuthorizedProjectId,
  key: GeneratedKey,
): Promise<void> {
  const { prefix, hash } = key
  if (await prefixTaken(tx, prefix)) return
  const id = await insertKey(tx, {
    projectId,
    environment: DEMO_ENVIRONMENT,
    name: DEMO_KEY_NAME,
    prefix,
    hash,
    scopes: ['ingest', 'read'],
    createdBy: SYSTEM_ACTOR.actorId,
    expiresAt: null,
  })
  await recordAudit(tx, {
    projectId,
    ...SYSTEM_ACTOR,
    action: 'key.created',
    target: id,
    after: { name: DEMO_KEY_NAME, environment: DEMO_ENVIRONMENT, prefix },
  })
}
