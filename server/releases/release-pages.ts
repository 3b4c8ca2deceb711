import { listReleases } from '@/server/configs/config-detail.sql.ts'
import type { PromptName } from '@/server/configs/configs.sql.ts'
import { requireConfig, type StandingRelease } from '@/server/configs/configs.ts'
import { findLiveVersion } from '@/server/configs/versions.sql.ts'
import { listEnvironments } from '@/server/environments/environments.sql.ts'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { countReleaseSessions, type ReleaseSessions } from './adoption.sql.ts'
import { loadRequestedReleases } from './release-approvals.ts'
import {
  type BehaviorBucket,
  findReleaseFacts,
  firstApplications,
  listPartlyApplied,
  loadBehavior,
  type ReleaseFacts,
} from './release-list.sql.ts'
import { listSchedules } from './schedule-list.sql.ts'

/** Pending work: requests whose next step is the caller's, plans that a gate or a rollback stopped, and releases that are partly applied. */
export async function loadReleaseWork(scope: ProjectScope): Promise<{ readonly count: number }> {
  const planned = await listSchedules(scope)
  const [requests, partly] = await Promise.all([
    loadRequestedReleases(scope, planned),
    listPartlyApplied(scope),
  ])
  const approvals = requests.filter(({ isYourTurn }) => isYourTurn).length
  const stopped = planned.filter(({ state }) => state !== 'pending').length
  return { count: approvals + stopped + partly.length }
}

export interface Neighbor {
  readonly name: string
  readonly live: number | null
}

export interface ReleaseDetail extends ReleaseFacts {
  /** When each runtime that hosts the prompt first applied the release or a later one. Epoch ms, ascending; at most 300, evenly selected. */
  readonly appliedAt: readonly number[]
  readonly appliedCount: number
  readonly sessions: ReleaseSessions
  /** The next environment in order of promotion; null for the last. */
  readonly nextEnvironment: Neighbor | null
}

const MOST_POINTS = 300

function picked(times: readonly number[]): readonly number[] {
  if (times.length <= MOST_POINTS) return times
  const step = (times.length - 1) / (MOST_POINTS - 1)
  return Array.from({ length: MOST_POINTS }, (_, i) => times[Math.round(i * step)] ?? 0)
}

/** Rejects with `not_found` for a release of another project. */
export async function loadReleaseDetail(scope: ProjectScope, id: string): Promise<ReleaseDetail> {
  const facts = await findReleaseFacts(scope, id)
  if (facts === null) throw new ServiceError('not_found', 'There is no such release.')
  const { environment, revision, configId, successor } = facts
  const { projectId } = scope
  const [times, environments, sessions] = await Promise.all([
    firstApplications(scope, { environment, revision, configId }),
    listEnvironments(projectId),
    countReleaseSessions(projectId, {
      ...facts,
      since: facts.createdAt,
      until: successor?.at ?? null,
    }),
  ])
  const applied = times.filter((at) => successor === null || at < successor.at)
  const here = environments.findIndex(({ name }) => name === environment)
  const next = here === -1 ? undefined : environments[here + 1]
  const live = next && (await findLiveVersion({ projectId, environmentId: next.id, configId }))
  const nextEnvironment =
    next === undefined ? null : { name: next.name, live: live?.number ?? null }
  const appliedAt = picked(applied)
  return { ...facts, nextEnvironment, appliedAt, appliedCount: applied.length, sessions }
}

export interface VersionTimeline {
  readonly since: number
  readonly until: number
  readonly bucketMs: number
  readonly environments: readonly {
    readonly name: string
    /** Oldest first, including the one that was live at `since`. */
    readonly releases: readonly StandingRelease[]
    readonly behavior: readonly BehaviorBucket[]
  }[]
}

const BUCKETS = 48
const HOUR = 3_600_000
const LONGEST = 30 * 24 * HOUR

/** Starts at the first release or 30 days ago, whichever is later. Rejects with `not_found`. */
export async function loadVersionTimeline(
  scope: ProjectScope,
  prompt: PromptName,
): Promise<VersionTimeline> {
  const config = await requireConfig(scope, prompt)
  const [releases, environments] = await Promise.all([
    listReleases(scope, config.id),
    listEnvironments(scope.projectId),
  ])
  const until = Date.now()
  const first = releases.at(-1)?.createdAt ?? until
  const wanted = Math.min(LONGEST, Math.max(HOUR, (until - first) * 1.05))
  const bucketMs = Math.ceil(wanted / BUCKETS / 60_000) * 60_000
  const since = Math.floor((until - bucketMs * BUCKETS) / 60_000) * 60_000
  const standing = releases.toReversed()
  const { ns, key } = config
  const behavior = await loadBehavior(scope, { ns, key, since, bucketMs })
  return {
    since,
    until,
    bucketMs,
    environments: environments.map(({ name }) => ({
      name,
      releases: standing.filter((release) => release.environment === name),
      behavior: behavior.filter(({ environment }) => environment === name),
    })),
  }
}
