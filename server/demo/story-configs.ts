import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { isJsonObject, type JsonObject } from '@signalbox/core'
import { celExpressions } from '@signalbox/core/expression'
import { compileChecked } from '@signalbox/core/lint'
import { computeDigest, DEMO_NAMESPACE, parseConfigText } from '@signalbox/wire'
import { publishBundle } from '@/server/bundles/bundles.ts'
import {
  findEnvironmentId,
  hasConfig,
  insertFirstConfig,
  insertFirstRelease,
} from '@/server/configs/first-config.sql.ts'
import { type AuditInput, recordAudit, toAuditActor } from '@/server/platform/auth/audit.sql.ts'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { SYSTEM_ACTOR } from '@/server/platform/auth/system.ts'
import { isAbsent } from '@/server/platform/base/errors.ts'
import { inTransaction, lockByName, type Tx } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { requireRelease } from '@/server/releases/release-right.ts'
import type { StoryName } from './demo-input.ts'

/** Environment of the demo's key. */
export const DEMO_ENVIRONMENT = 'dev'

export interface StoryConfig {
  readonly key: StoryName
  readonly text: string
  readonly document: JsonObject
}

/** Null: the server was shipped without the examples. Rejects with a sentence when the config cannot be used. */
export async function readStoryConfig(key: StoryName): Promise<StoryConfig | null> {
  const name = path.join('examples', 'demo-agent', 'configs', `${key}.json`)
  const text = await readFile(
    path.join(/* turbopackIgnore: true */ process.cwd(), name),
    'utf8',
  ).catch((error: unknown) => {
    if (isAbsent(error)) return null
    throw error
  })
  if (text === null) return null
  const parsed = parseConfigText(text)
  const problems = parsed.ok
    ? compileChecked(parsed.document, { expressions: celExpressions() }).problems
    : parsed.problems
  const error = problems.find((problem) => problem.severity === 'error')
  if (!parsed.ok || error !== undefined || !isJsonObject(parsed.value)) {
    const why = error === undefined ? 'it is not an object' : `${error.pointer} ${error.message}`
    throw new Error(`The demo config ${name} cannot be used: ${why}`)
  }
  return { key, text, document: parsed.value }
}

interface ReleasedStory extends StoryConfig {
  /** Absent: the server itself, at its first start. */
  readonly by?: Pick<AuditInput, 'actorId' | 'actor' | 'origin'>
}

/** Expects a project without this config. */
export async function releaseStoryConfig(
  tx: Tx,
  projectId: AuthorizedProjectId,
  { key, text, document, by = SYSTEM_ACTOR }: ReleasedStory,
): Promise<void> {
  const ns = DEMO_NAMESPACE
  const environmentId = await findEnvironmentId(tx, { projectId, name: DEMO_ENVIRONMENT })
  const digest = computeDigest(document)
  const ids = await insertFirstConfig(tx, {
    projectId,
    ns,
    key,
    digest,
    text,
    document,
    environmentId,
    authorId: by.actorId,
  })
  const { revision } = await publishBundle(tx, { projectId, environmentId })
  await insertFirstRelease(tx, { ...ids, projectId, environmentId, revision, authorId: by.actorId })
  await recordAudit(tx, {
    projectId,
    ...by,
    action: 'release.published',
    target: ids.releaseId,
    after: { config: `${ns}/${key}`, version: 1, environment: DEMO_ENVIRONMENT, revision },
  })
}

/** Changes no config that exists, because users may have edited it. Rejects with `forbidden` if it is missing and the user may not release it. */
export async function ensureStoryConfig(scope: ProjectScope, story: StoryName): Promise<void> {
  const { projectId } = scope
  const config = await readStoryConfig(story)
  if (config === null) return
  await inTransaction(async (tx) => {
    await lockByName(tx, 'bootstrap')
    if (await hasConfig(tx, { projectId, ns: DEMO_NAMESPACE, key: story })) return
    await requireRelease(scope, DEMO_ENVIRONMENT)
    await releaseStoryConfig(tx, projectId, { ...config, by: toAuditActor(scope) })
  })
}
