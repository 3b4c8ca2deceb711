// Runs at every start and changes nothing that exists. Several replicas may start at once, so a lock orders them.

import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { isJsonObject } from '@signalbox/core'
import { compileChecked } from '@signalbox/core/lint'
import { computeDigest, parseConfigText } from '@signalbox/wire'
import { publishBundle } from '@/server/bundles/bundles.ts'
import {
  findEnvironmentId,
  hasConfigs,
  insertFirstConfig,
  insertFirstRelease,
} from '@/server/configs/first-config.sql.ts'
import { finishRemovals } from '@/server/people/projects.ts'
import { describeKey, type GeneratedKey } from '@/server/platform/auth/api-key.ts'
import { recordAudit } from '@/server/platform/auth/audit.sql.ts'
import { insertKey, prefixTaken } from '@/server/platform/auth/keys.sql.ts'
import { isServedHere } from '@/server/platform/auth/members.sql.ts'
import { ensureProject } from '@/server/platform/auth/projects.sql.ts'
import { env } from '@/server/platform/base/env.ts'
import { isAbsent } from '@/server/platform/base/errors.ts'
import {
  inTransaction,
  isDirectoryHere,
  lockByName,
  type Tx,
} from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { adoptSigningKeys } from '@/server/signing-keys/signing-keys.ts'

const SYSTEM = { actorId: 'system', actor: 'Signalbox' }
const DEMO_ENVIRONMENT = 'dev'
const DEMO_CONFIG = ['examples', 'demo-agent', 'config.json']

/** Rejects with a sentence when the environment, the demo key or the demo config cannot be used. */
export async function bootstrap(): Promise<void> {
  // The cell of the directory sets the installation up.
  if (!isDirectoryHere()) return await finishRemovals()
  const { SIGNALBOX_DEMO_KEY: secret } = env()
  const key = secret === undefined ? undefined : describeKey(secret)
  if (key === null) throw new Error('SIGNALBOX_DEMO_KEY does not have the form sbx_<8>_<43>.')
  const demo = await readDemoConfig()
  await inTransaction(async (tx) => {
    await lockByName(tx, 'bootstrap')
    const projectId = await ensureProject(tx)
    await adoptSigningKeys(tx)
    // It may have moved to another cell.
    if (!(await isServedHere(tx, projectId))) return
    if (key !== undefined) await ensureDemoKey(tx, projectId, key)
    if (demo !== null && !(await hasConfigs(tx, projectId))) {
      await releaseDemoConfig(tx, projectId, demo)
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
    name: 'demo agent',
    prefix,
    hash,
    scopes: ['ingest', 'read'],
    createdBy: SYSTEM.actorId,
    expiresAt: null,
  })
  await recordAudit(tx, {
    projectId,
    ...SYSTEM,
    action: 'key.created',
    target: id,
    after: { name: 'demo agent', environment: DEMO_ENVIRONMENT, prefix },
  })
}

/** Null: the server was shipped without the examples. */
async function readDemoConfig(): Promise<string | null> {
  const file = path.join(/* turbopackIgnore: true */ process.cwd(), ...DEMO_CONFIG)
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (isAbsent(error)) return null
    throw error
  }
}

async function releaseDemoConfig(
  tx: Tx,
  projectId: AuthorizedProjectId,
  text: string,
): Promise<void> {
  const parsed = parseConfigText(text)
  const problems = parsed.ok ? compileChecked(parsed.document).problems : parsed.problems
  const error = problems.find((problem) => problem.severity === 'error')
  if (!parsed.ok || error !== undefined || !isJsonObject(parsed.value)) {
    const why = error === undefined ? 'it is not an object' : `${error.pointer} ${error.message}`
    throw new Error(`The demo config ${DEMO_CONFIG.join('/')} cannot be used: ${why}`)
  }
  const { ns, key } = parsed.document
  const environmentId = await findEnvironmentId(tx, { projectId, name: DEMO_ENVIRONMENT })
  const digest = computeDigest(parsed.value)
  const config = { projectId, ns, key, digest, text, document: parsed.value, environmentId }
  const ids = await insertFirstConfig(tx, config)
  const { revision } = await publishBundle(tx, { projectId, environmentId })
  await insertFirstRelease(tx, { ...ids, projectId, environmentId, revision })
  await recordAudit(tx, {
    projectId,
    ...SYSTEM,
    action: 'release.published',
    target: ids.releaseId,
    after: { config: `${ns}/${key}`, version: 1, environment: DEMO_ENVIRONMENT, revision },
  })
}
