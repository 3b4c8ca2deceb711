// How far a release has got: it is live only when every connected runtime of its environment reports that it applied the
// release's revision or a later one. What was sent to them counts for nothing (design.md §4).
import type { ConfigReader } from '../auth/scope.ts'
import { ServiceError } from '../errors.ts'
import {
  type AdoptionCounts,
  findSuccessor,
  type Rejection,
  type StandingRow,
  type Successor,
} from '../read-models/release-standing.ts'
import { findRelease } from '../repositories/releases.ts'
import { runtimesOf } from './runtime-list.ts'

/** `waiting`: no runtime is connected, so nobody could apply it yet. */
export type ReleaseStatus =
  | 'publishing'
  | 'waiting'
  | 'live'
  | 'partial'
  | 'superseded'
  | 'rolled_back'

export interface RuntimeAdoption {
  readonly id: string
  readonly name: string
  /** `stale`: its heartbeats stopped a short while ago; it is shown but not counted. */
  readonly state: 'applied' | 'pending' | 'rejected' | 'stale'
  /** Why it refused the release; null unless `rejected`. */
  readonly reason: string | null
  readonly appliedRevision: number | null
  /** Epoch ms; null until it applied this release or a later one. */
  readonly appliedAt: number | null
}

/** Where a release stands, as lists say it. */
export interface Standing extends StandingRow {
  readonly status: ReleaseStatus
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

/** What one runtime's last report says about the release; null when the runtime is gone. */
function adoptionState(report: Report, revision: number): RuntimeAdoption['state'] | null {
  const { connection, appliedRevision, rejectedRevision } = report
  if (connection === 'disconnected') return null
  if (appliedRevision !== null && appliedRevision >= revision) return 'applied'
  if (connection === 'stale') return 'stale'
  return rejectedRevision !== null && rejectedRevision >= revision ? 'rejected' : 'pending'
}

function statusOf(counts: AdoptionCounts, successor: Successor | null): ReleaseStatus {
  if (successor !== null) return successor.kind === 'rollback' ? 'rolled_back' : 'superseded'
  const { applied, rejected, total } = counts
  if (total === 0) return 'waiting'
  if (applied === total) return 'live'
  return rejected > 0 ? 'partial' : 'publishing'
}

/** A listed release with the word for where it stands. */
export function withStatus<Row extends StandingRow>(row: Row): Row & Standing {
  return { ...row, status: statusOf(row, row.successor) }
}

/** Of those that rejected it, the first by name. */
function rejectionOf(runtimes: readonly RuntimeAdoption[]): Rejection | null {
  const [first] = runtimes
    .filter(({ state }) => state === 'rejected')
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return first === undefined ? null : { runtime: first.name, reason: first.reason }
}

/** Rejects with `not_found` for a release of another project. */
export async function adoptionOf(scope: ConfigReader, releaseId: string): Promise<Adoption> {
  const release = await findRelease(scope, releaseId)
  if (release === null) throw new ServiceError('not_found', 'There is no such release.')
  const { id, environment, version, revision, createdAt } = release
  const [successor, listed] = await Promise.all([
    findSuccessor(scope.projectId, id),
    runtimesOf(scope, environment),
  ])
  const runtimes = listed.flatMap((runtime): RuntimeAdoption[] => {
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
  const count = (state: RuntimeAdoption['state']): number =>
    runtimes.filter((runtime) => runtime.state === state).length
  return withStatus({
    ...{ id, environment, version, revision, createdAt, runtimes, successor },
    applied: count('applied'),
    rejected: count('rejected'),
    total: runtimes.length - count('stale'),
    rejection: rejectionOf(runtimes),
  })
}
