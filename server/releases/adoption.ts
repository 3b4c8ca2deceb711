import { findStanding, type Standing } from '@/server/configs/release-standing.sql.ts'
import type { ConfigReader } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { loadRuntimes } from '@/server/runtimes/runtime-list.ts'
import { findRelease } from './releases.sql.ts'

export interface RuntimeAdoption {
  readonly id: string
  readonly name: string
  /** `stale`: its heartbeats stopped recently; it is shown but not counted. */
  readonly state: 'applied' | 'pending' | 'rejected' | 'stale'
  /** Reason for refusing the release; null unless `rejected`. */
  readonly reason: string | null
  readonly appliedRevision: number | null
  /** Epoch ms; null until it applied this release or a later one. */
  readonly appliedAt: number | null
}

export interface Adoption extends Standing {
  readonly id: string
  readonly environment: string
  readonly version: number
  readonly revision: number
  readonly createdAt: number
  readonly runtimes: readonly RuntimeAdoption[]
}

interface Report {
  readonly connection: 'connected' | 'stale' | 'disconnected'
  readonly appliedRevision: number | null
  readonly rejectedRevision: number | null
}

/** State of the release in one runtime's last report; null when the runtime is gone. */
function adoptionState(report: Report, revision: number): RuntimeAdoption['state'] | null {
  const { connection, appliedRevision, rejectedRevision } = report
  if (connection === 'disconnected') return null
  if (appliedRevision !== null && appliedRevision >= revision) return 'applied'
  if (connection === 'stale') return 'stale'
  return rejectedRevision !== null && rejectedRevision >= revision ? 'rejected' : 'pending'
}

/** Rejects with `not_found` for a release of another project. */
export async function loadAdoption(scope: ConfigReader, releaseId: string): Promise<Adoption> {
  const [release, standing] = await Promise.all([
    findRelease(scope, releaseId),
    findStanding(scope.projectId, releaseId),
  ])
  if (release === null || standing === null) {
    throw new ServiceError('not_found', 'There is no such release.')
  }
  const { id, environment, version, revision, createdAt } = release
  const { ns, key, ...counts } = standing
  const listed = await loadRuntimes(scope, environment)
  const runtimes = listed.flatMap((runtime): RuntimeAdoption[] => {
    if (!runtime.prompts.includes(`${ns}/${key}`)) return []
    const state = adoptionState(runtime, revision)
    if (state === null) return []
    const { appliedRevision, appliedAt, rejectedReason } = runtime
    return [
      {
        id: runtime.id,
        name: runtime.name,
        state,
        reason: state === 'rejected' ? rejectedReason : null,
        appliedRevision,
        appliedAt: state === 'applied' ? appliedAt : null,
      },
    ]
  })
  return { id, environment, version, revision, createdAt, runtimes, ...counts }
}
