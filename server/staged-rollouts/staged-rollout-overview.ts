import { findConfig } from '@/server/configs/configs.sql.ts'
import type { ConfigReader } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { demandGates } from '@/server/releases/place-gates.ts'
import type { Gate } from '@/server/releases/release-input.ts'
import {
  findRollouts,
  type GuardMetric,
  listRollouts,
  type RolloutKind,
  type RolloutRow,
  type RolloutState,
} from '@/server/releases/staged-rollouts.sql.ts'
import { buildGuardHistory, type GuardPoint } from './guard-history.ts'
import { ALPHA, computeEvidence, computeMean, computeVerdict, type Verdict } from './guard-test.ts'
import { readTest } from './judge.ts'
import {
  type CohortCounts,
  countCohorts,
  groupDifferences,
  type ListedChange,
  type ListedDifference,
  type ListedShadow,
  listChanges,
  listDifferences,
  listEndedPlaces,
  listRejections,
  listShadows,
  listStagedPlaces,
  loadGuardParts,
  type PartRejection,
  rolloutNames,
  type ShadowGroup,
  type StagedPlace,
} from './staged-rollout-overview.sql.ts'

interface GuardView {
  readonly metric: GuardMetric
  readonly ratio: number
  readonly minSessions: number
  readonly verdict: Verdict
  readonly base: number
  readonly candidate: number
  /** From 0 to 1 on a logarithmic scale; a rollback happens at 1. */
  readonly evidence: number
  /** Means per compared session; null: no session was compared. */
  readonly baseMean: number | null
  readonly candidateMean: number | null
}

function toGuardView(row: RolloutRow): GuardView {
  const { metric, ratio, minSessions } = row
  const test = readTest(row)
  const evidence = Math.log(Math.max(1, computeEvidence(test))) / Math.log(1 / ALPHA)
  return {
    metric,
    ratio,
    minSessions,
    verdict: computeVerdict(test, minSessions),
    base: test.base.sessions,
    candidate: test.candidate.sessions,
    evidence: Math.min(1, evidence),
    baseMean: computeMean(test.base),
    candidateMean: computeMean(test.candidate),
  }
}

export interface StagedSummary extends StagedPlace {
  readonly kind: 'staged'
  readonly state: RolloutState
  readonly share: number
  readonly guard: GuardView
}

/** Running staged rollouts of the project, newest first. */
export async function listStagedRollouts(scope: ConfigReader): Promise<readonly StagedSummary[]> {
  const places = await listStagedPlaces(scope.projectId)
  if (places.length === 0) return []
  const rows = await findRollouts(
    scope,
    places.map(({ id }) => id),
  )
  return places.flatMap((place) => {
    const row = rows.find(({ id }) => id === place.id)
    if (row === undefined) return []
    const { state, share } = row
    return [{ ...place, kind: 'staged', state, share, guard: toGuardView(row) }]
  })
}

export type EndedRollout = StagedPlace &
  Pick<
    RolloutView,
    | 'kind'
    | 'state'
    | 'share'
    | 'guard'
    | 'note'
    | 'reason'
    | 'author'
    | 'createdAt'
    | 'settledAt'
    | 'changes'
  > & { readonly candidate: Pick<CohortCounts, 'sessions'> }

/** Ended staged rollouts of the project, the last ended first, at most 20. */
export async function listEndedRollouts(scope: ConfigReader): Promise<readonly EndedRollout[]> {
  const places = await listEndedPlaces(scope.projectId)
  if (places.length === 0) return []
  const ids = places.map(({ id }) => id)
  const [rows, changes] = await Promise.all([
    findRollouts(scope, ids),
    listChanges(scope.projectId, ids),
  ])
  return places.flatMap(({ sessions, ...place }) => {
    const row = rows.find(({ id }) => id === place.id)
    if (row === undefined) return []
    const { kind, state, share, note, reason, createdAt, settledAt } = row
    return [
      {
        ...place,
        ...{ kind, state, share, note, reason, createdAt, settledAt },
        candidate: { sessions },
        guard: toGuardView(row),
        changes: changes.filter(({ rolloutId }) => rolloutId === place.id),
      },
    ]
  })
}

export interface RolloutView {
  readonly id: string
  readonly environment: string
  readonly kind: RolloutKind
  readonly state: RolloutState
  readonly version: number
  readonly baseVersion: number
  readonly share: number
  readonly note: string | null
  readonly reason: string | null
  readonly author: string | null
  readonly createdAt: number
  readonly endsAt: number | null
  readonly settledAt: number | null
  readonly requiresNote: boolean
  readonly requiresTypedName: boolean
  readonly demands: readonly Gate[]
  readonly liveVersion: number | null
  readonly candidate: CohortCounts
  readonly base: CohortCounts
  readonly guard: GuardView
  /** Empty once the rollout has ended. */
  readonly history: readonly GuardPoint[]
  readonly changes: readonly ListedChange[]
}

export interface StagedRolloutOverview {
  readonly rollouts: readonly RolloutView[]
  readonly shadows: readonly (ListedShadow & {
    readonly groups: readonly ShadowGroup[]
    readonly differences: readonly ListedDifference[]
  })[]
  readonly rejections: readonly PartRejection[]
}

const NONE: CohortCounts = {
  sessions: 0,
  calls: 0,
  denied: 0,
  blocked: 0,
  overridden: 0,
  diverged: 0,
  stops: 0,
  bypassed: 0,
  errors: 0,
  planned: 0,
  planDone: 0,
  medianMs: null,
}

/** Rejects with `not_found` for a config of another project. */
export async function loadStagedRollout(
  scope: ConfigReader,
  prompt: { readonly ns: string; readonly key: string },
): Promise<StagedRolloutOverview> {
  const { projectId } = scope
  const config = await findConfig(scope, prompt)
  if (config === null)
    throw new ServiceError('not_found', `There is no config "${prompt.ns}/${prompt.key}".`)
  const [rollouts, shadows, rejections] = await Promise.all([
    loadRollouts(projectId, config.id),
    loadShadowViews(projectId, config.id),
    listRejections(projectId, config.id),
  ])
  return { rollouts, shadows, rejections }
}

async function loadRollouts(
  projectId: AuthorizedProjectId,
  configId: string,
): Promise<readonly RolloutView[]> {
  const names = await rolloutNames(projectId, configId)
  if (names.length === 0) return []
  const ids = names.map(({ id }) => id)
  const now = Date.now()
  const [rows, counts, changes, parts] = await Promise.all([
    listRollouts({ projectId, configId }, ids.length),
    countCohorts(projectId, configId),
    listChanges(projectId, ids),
    loadGuardParts(projectId, configId),
  ])
  return names.flatMap(({ digest, baseDigest, ...named }) => {
    const row = rows.find(({ id }) => id === named.id)
    if (row === undefined) return []
    const findCohortCounts = (of: string) => {
      const found = counts.find(({ id, digest: its }) => id === named.id && its === of)
      if (found === undefined) return NONE
      const { id: _, digest: __, ...cohort } = found
      return cohort
    }
    const { kind, state, share, note, reason, createdAt, endsAt, settledAt } = row
    return [
      {
        ...named,
        demands: demandGates({ ...named, name: named.environment }),
        kind,
        state,
        share,
        note,
        reason,
        createdAt,
        endsAt,
        settledAt,
        candidate: findCohortCounts(digest),
        base: findCohortCounts(baseDigest),
        guard: toGuardView(row),
        history: buildGuardHistory(
          parts.filter(({ id }) => id === named.id),
          { createdAt, now },
        ),
        changes: changes.filter(({ rolloutId }) => rolloutId === named.id),
      },
    ]
  })
}

async function loadShadowViews(
  projectId: AuthorizedProjectId,
  configId: string,
): Promise<StagedRolloutOverview['shadows']> {
  const shadows = await listShadows(projectId, configId)
  if (shadows.length === 0) return []
  const [groups, differences] = await Promise.all([
    groupDifferences(projectId, configId),
    listDifferences(projectId, configId),
  ])
  return shadows.map((shadow) => ({
    ...shadow,
    groups: groups.filter(({ environment }) => environment === shadow.environment),
    differences: differences.filter(({ environment }) => environment === shadow.environment),
  }))
}
