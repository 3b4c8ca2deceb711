import { findStanding, type Standing } from '@/server/configs/release-standing.sql.ts'
import type { ConfigReader } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { loadRuntimes } from '@/server/runtimes/runtime-list.ts'
import { loadProgress } from './adoption.sql.ts'
import { findRelease } from './releases.sql.ts'

export interface RuntimeAdoption {
  readonly id: string
  readonly name: string
  /** `stale`: its heartbeats stopped recently; it is shown but not counted. */
  readonly state: 'applied' | 'pending' | 'rejected' | 'stale'
  /** Reason for refusing the release; null unless `rejected`. */
  readonly reason: string | null
  /** Epoch ms; null until it applied this release or a later one. */
  readonly appliedAt: number | null
  /** Epoch ms; null unless `rejected`. */
  readonly rejectedAt: number | null
  /** Version that new sessions get there; null: none. */
  readonly runs: number | null
  /** Running sessions of the prompt. */
  readonly running: number
  /** Those of them that keep the version before the release. */
  readonly keeping: number
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
  const hosts = listed.flatMap((runtime) => {
    if (!runtime.prompts.includes(`${ns}/${key}`)) return []
    const state = adoptionState(runtime, revision)
    return state === null ? [] : [{ ...runtime, state }]
  })
  const ids = hosts.map((runtime) => runtime.id)
  const progress = new Map(
    (await loadProgress(scope.projectId, releaseId, ids)).map((one) => [one.id, one]),
  )
  const runtimes = hosts.map((host): RuntimeAdoption => {
    const seen = progress.get(host.id)
    const { name, state } = host
    return {
      id: host.id,
      name,
      state,
      reason: state === 'rejected' ? host.rejectedReason : null,
      appliedAt: state === 'applied' ? (seen?.firstAppliedAt ?? host.appliedAt) : null,
      rejectedAt: state === 'rejected' ? (seen?.rejectedAt ?? null) : null,
      runs: seen?.runs ?? null,
      running: seen?.running ?? 0,
      keeping: seen?.keeping ?? 0,
    }
  })
  return { id, environment, version, revision, createdAt, runtimes, ...counts }
}
