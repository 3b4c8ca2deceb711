import type { ReleaseDetail } from '@/server/releases/release-pages.ts'
import type { RolloutView } from '@/server/staged-rollouts/staged-rollout-overview.ts'

/** The newest watch of the release; null: it was never monitored. */
export function findWatch(
  release: Pick<ReleaseDetail, 'environment' | 'version' | 'createdAt' | 'successor'>,
  rollouts: readonly RolloutView[],
): RolloutView | null {
  const until = release.successor?.at ?? Number.POSITIVE_INFINITY
  const found = rollouts.filter(
    ({ kind, environment, version, settledAt, createdAt }) =>
      kind === 'watch' &&
      environment === release.environment &&
      version === release.version &&
      (settledAt ?? until) >= release.createdAt &&
      createdAt <= until,
  )
  return found.toSorted((a, b) => b.createdAt - a.createdAt)[0] ?? null
}
