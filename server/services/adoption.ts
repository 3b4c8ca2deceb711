// How far a release has got: it is live only when every connected runtime of its environment reports that it applied the
// release's revision or a later one. What was sent to them counts for nothing (design.md §4).
import type { ConfigReader } from '../auth/scope.ts'
import { ServiceError } from '../errors.ts'
import { findRelease, findSuccessor, type ReleaseRow } from '../repositories/releases.ts'
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

export interface Adoption {
  readonly id: string
  readonly environment: string
  readonly version: number
  readonly revision: number
  readonly createdAt: number
  readonly status: ReleaseStatus
  /** Of the connected runtimes. */
  readonly applied: number
  readonly total: number
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

function statusOf(
  states: readonly RuntimeAdoption['state'][],
  successor: 'none' | 'newer' | 'rollback',
): ReleaseStatus {
  if (successor !== 'none') return successor === 'rollback' ? 'rolled_back' : 'superseded'
  const counted = states.filter((state) => state !== 'stale')
  if (counted.length === 0) return 'waiting'
  if (counted.every((state) => state === 'applied')) return 'live'
  return counted.includes('rejected') ? 'partial' : 'publishing'
}

function successorOf(next: ReleaseRow | null): 'none' | 'newer' | 'rollback' {
  if (next === null) return 'none'
  return next.kind === 'rollback' ? 'rollback' : 'newer'
}

/** Rejects with `not_found` for a release of another project. */
export async function adoptionOf(scope: ConfigReader, releaseId: string): Promise<Adoption> {
  const release = await findRelease(scope, releaseId)
  if (release === null) throw new ServiceError('not_found', 'There is no such release.')
  const { id, environment, version, revision, createdAt } = release
  const [next, listed] = await Promise.all([findSuccessor(release), runtimesOf(scope, environment)])
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
  const states = runtimes.map(({ state }) => state)
  return {
    ...{ id, environment, version, revision, createdAt },
    status: statusOf(states, successorOf(next)),
    applied: states.filter((state) => state === 'applied').length,
    total: states.filter((state) => state !== 'stale').length,
    runtimes,
  }
}
