// A server that was restored from a backup serves revisions that runtimes have passed, so they refuse them. The signature of a newer bundle
// proves its origin, and the environment continues above it (specs/bundles.md). An API key alone cannot change a revision.
import { BundleV1, type RevisionRequest, verifyText } from '@signalbox/wire'
import {
  findEnvironment,
  lockEnvironment,
  setRevision,
} from '@/server/environments/environments.sql.ts'
import { recordAudit } from '@/server/platform/auth/audit.sql.ts'
import type { KeyScope } from '@/server/platform/auth/scope.ts'
import { SYSTEM_ACTOR } from '@/server/platform/auth/system.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { publishBundle } from './bundles.ts'
import { listSigningKeys } from './signing-keys.sql.ts'
import { bundlePublicKey } from './signing-seed.ts'

/** Parses a bundle without checking its owner. */
function bundleIn(text: string): BundleV1 | null {
  try {
    return BundleV1.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}

async function isSignedHere(projectId: AuthorizedProjectId, { text, signature }: RevisionRequest) {
  const rows = await listSigningKeys(projectId)
  const believed = rows.filter(({ revokedAt }) => revokedAt === null)
  const keys = [...believed.map(({ publicKey }) => publicKey), await bundlePublicKey(projectId)]
  return keys.some((key) => verifyText(text, signature, key))
}

/** Rejects with `invalid` unless `held` is of this environment and signed by a key of its project that is not revoked. */
export async function surpassRevision(scope: KeyScope, held: RevisionRequest): Promise<number> {
  const { projectId } = scope
  const environment = await findEnvironment({ projectId, name: scope.environment })
  const bundle = bundleIn(held.text)
  if (
    environment === null ||
    bundle?.project !== environment.projectSlug ||
    bundle.environment !== environment.name ||
    !(await isSignedHere(projectId, held))
  ) {
    throw new ServiceError(
      'invalid',
      'This bundle is not from the environment of this API key, or no key of its project signed it.',
    )
  }
  return await inTransaction(async (tx) => {
    const { id: environmentId } = environment
    const place = { projectId, environmentId }
    const revision = (await lockEnvironment(tx, place))?.revision ?? bundle.revision
    if (revision >= bundle.revision) return revision
    await setRevision(tx, { ...place, revision: bundle.revision })
    const published = await publishBundle(tx, place)
    await recordAudit(tx, {
      projectId,
      ...SYSTEM_ACTOR,
      action: 'bundle.surpassed',
      target: environmentId,
      before: { environment: environment.name, revision },
      after: { environment: environment.name, revision: published.revision },
    })
    return published.revision
  })
}
