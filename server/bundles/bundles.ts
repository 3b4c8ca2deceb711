// A revision is created in the transaction of its release, so that neither exists without the other.

import { omitUndefined } from '@signalbox/core'
import { BUNDLE_PARTS, canonicalJson, computeDigest, signText } from '@signalbox/wire'
import {
  type EnvironmentPlace,
  lockEnvironment,
  setRevision,
} from '@/server/environments/environments.sql.ts'
import { systemProject } from '@/server/platform/auth/system.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { registerCache } from '@/server/platform/base/process-memory.ts'
import type { Tx } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { notify } from '@/server/platform/live/live-bus.ts'
import { sharedRead } from '@/server/platform/shared-read.ts'
import {
  findBundle,
  findServedEnvironment,
  insertBundle,
  type ReleasedConfig,
  readReleasedConfigs,
  type SignedBody,
  type StoredBundle,
} from './bundles.sql.ts'
import { activePair } from './signing-seed.ts'

interface BundleParts {
  readonly project: string
  readonly environment: string
  readonly revision: number
  readonly createdAt: number
  readonly configs: readonly ReleasedConfig[]
  readonly seed: string
}

/** The body is canonical JSON, so the digest of the text equals the digest of the value. */
function build(parts: BundleParts): StoredBundle {
  const { revision, configs } = parts
  const used = BUNDLE_PARTS.filter((part) => configs.some((config) => hasPart(config, part)))
  const plain =
    used.length === 0
      ? null
      : signed(
          parts,
          configs.map((config) => ({ ...config, candidate: null, shadow: null, tighten: false })),
        )
  return { revision, ...signed(parts, configs), parts: used, plain }
}

function hasPart(config: ReleasedConfig, part: (typeof BUNDLE_PARTS)[number]): boolean {
  return config[part] !== null && config[part] !== false
}

function signed(
  { project, environment, revision, createdAt, seed }: BundleParts,
  configs: readonly ReleasedConfig[],
): SignedBody {
  const value = {
    bundle_version: 1,
    project,
    environment,
    revision,
    created_at: createdAt,
    configs: configs.map(({ candidate, shadow, tighten, ...entry }) => ({
      ...entry,
      ...omitUndefined({
        candidate: candidate ?? undefined,
        shadow: shadow ?? undefined,
        tighten: tighten || undefined,
      }),
    })),
  }
  const body = canonicalJson(value)
  return {
    digest: computeDigest(value),
    body,
    signature: signText(body, seed),
  }
}

/** The body for a runtime that reads these optional parts. It has no optional part at all unless the runtime reads all of them. */
export function bodyFor(bundle: StoredBundle, parts: readonly string[]): SignedBody {
  const isRead = bundle.parts.every((part) => parts.includes(part))
  return isRead ? bundle : (bundle.plain ?? bundle)
}

/** Notifies listeners once `tx` commits. Takes the environment's row lock, which orders concurrent releases. Rejects with `not_found`. */
export async function publishBundle(
  tx: Tx,
  place: EnvironmentPlace,
): Promise<{ readonly revision: number; readonly digest: string }> {
  const environment = await lockEnvironment(tx, place)
  if (environment === null) throw new ServiceError('not_found', 'This environment does not exist.')
  const bundle = build({
    project: environment.projectSlug,
    environment: environment.name,
    revision: environment.revision + 1,
    createdAt: Date.now(),
    configs: await readReleasedConfigs(tx, place),
    // Read under the environment's lock, which a change of the key also takes.
    seed: (await activePair(place.projectId, tx)).seed,
  })
  await insertBundle(tx, place, bundle)
  await setRevision(tx, { ...place, revision: bundle.revision })
  const { projectId: project, environmentId: id } = place
  await notify(tx, { project, kind: 'release', id, seq: bundle.revision })
  return { revision: bundle.revision, digest: bundle.digest }
}

export interface CurrentBundle extends StoredBundle {
  readonly environmentId: string
  readonly project: string
}

// The newest bundle of each environment: a body is read once per revision, not once per poll.
const newest = registerCache(new Map<string, CurrentBundle>())

const SEPARATOR = '\n'

/** Concurrent callers share one read of the environment, because a notification makes every runtime ask at once. */
const readShared = sharedRead(async (where: string): Promise<CurrentBundle | null> => {
  const [id = '', name = ''] = where.split(SEPARATOR)
  // currentBundle wrote it from an authorized id.
  const projectId = systemProject(id)
  const environment = await findServedEnvironment(projectId, name)
  if (environment === null) return null
  const { id: environmentId, revision } = environment
  const cached = newest.get(environmentId)
  if (cached?.revision === revision) return cached
  const stored =
    revision === 0
      ? build({
          project: environment.projectSlug,
          environment: name,
          revision,
          createdAt: 0,
          configs: [],
          seed: (await activePair(projectId)).seed,
        })
      : await findBundle({ projectId, environmentId }, revision)
  if (stored === null)
    throw new Error(`Bundle ${revision} of environment ${environmentId} is missing.`)
  const bundle = { ...stored, environmentId, project: environment.projectSlug }
  newest.set(environmentId, bundle)
  return bundle
})

/** The bundle that runtimes of the environment must apply. Before the first release, revision 0 without configs. */
export async function loadCurrentBundle(where: {
  readonly projectId: AuthorizedProjectId
  readonly environment: string
}): Promise<CurrentBundle> {
  const bundle = await readShared(`${where.projectId}${SEPARATOR}${where.environment}`)
  if (bundle !== null) return bundle
  throw new ServiceError(
    'not_found',
    `The environment "${where.environment}" of this key does not exist.`,
  )
}
