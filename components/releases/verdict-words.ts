// Verdicts of a guard, in the same words on every page.
import { plural } from '@signalbox/core/analysis'
import type { Status } from '@/components/ui/status-badge.tsx'
import type { RolloutView } from '@/server/staged-rollouts/staged-rollout-overview.ts'

export type Judged = Pick<RolloutView, 'kind' | 'state' | 'version' | 'baseVersion'> & {
  readonly guard: Pick<
    RolloutView['guard'],
    'verdict' | 'ratio' | 'minSessions' | 'base' | 'candidate' | 'baseMean' | 'candidateMean'
  >
}

/** Highest mean per session that the guard allows the candidate; null: no session of the base has ended. */
export function findLimit({ ratio, baseMean }: Judged['guard']): number | null {
  return baseMean === null ? null : ratio * baseMean
}

/** So far, which proves nothing; see the verdict. */
export function isAboveLimit(guard: Judged['guard']): boolean {
  const limit = findLimit(guard)
  return limit !== null && guard.candidateMean !== null && guard.candidateMean > limit
}

/** Sessions that the version with fewer has, at most the number that a verdict needs. */
export function countTowardsVerdict({ minSessions, base, candidate }: Judged['guard']): number {
  return Math.min(minSessions, base, candidate)
}

interface VerdictWords {
  readonly status: Status
  readonly title: string
  /** The candidate may go to all. */
  readonly isPassed: boolean
}

const TOO_FEW = 'Too few sessions to compare'

export function describeVerdict({ kind, state, baseVersion, guard }: Judged): VerdictWords {
  switch (state) {
    case 'rolled_back':
      return { status: 'denied', title: `Worse: rolled back to v${baseVersion}`, isPassed: false }
    case 'completed':
      return { status: 'passed', title: 'Released to all', isPassed: true }
    case 'stopped':
      return { status: 'ended', title: 'Stopped', isPassed: false }
    case 'passed':
      return countTowardsVerdict(guard) < guard.minSessions || isAboveLimit(guard)
        ? { status: 'ended', title: TOO_FEW, isPassed: false }
        : { status: 'passed', title: 'Passed', isPassed: true }
    default:
      return describeRunning({ kind, baseVersion, guard })
  }
}

function describeRunning({
  kind,
  baseVersion,
  guard,
}: Pick<Judged, 'kind' | 'baseVersion' | 'guard'>): VerdictWords {
  const { verdict, candidateMean } = guard
  if (verdict === 'worse') {
    return { status: 'denied', title: `Worse than v${baseVersion}`, isPassed: false }
  }
  if (findLimit(guard) === null || candidateMean === null || isAboveLimit(guard)) {
    return { status: 'monitored', title: TOO_FEW, isPassed: false }
  }
  if (kind === 'staged' && verdict === 'no_worse') {
    return { status: 'passed', title: 'Passed', isPassed: true }
  }
  return { status: 'monitored', title: `No worse than v${baseVersion} so far`, isPassed: false }
}

/** Means of a few sessions and of many: `0.04`, `1.4`, `12`. */
export function meanText(mean: number | null): string {
  if (mean === null) return '–'
  if (mean === 0) return '0'
  return mean < 1 ? mean.toFixed(2) : mean < 10 ? mean.toFixed(1) : Math.round(mean).toString()
}

export function limitText(guard: Judged['guard']): string {
  const limit = findLimit(guard)
  return limit === null ? '–' : `${meanText(limit)} (${guard.ratio}×)`
}

/** What the guard still needs, in a sentence. */
export function progressText({ version, baseVersion, guard, ...rest }: Judged): string {
  const { minSessions, base, candidate } = guard
  const done = countTowardsVerdict(guard)
  if (rest.state === 'running' && isAboveLimit(guard)) {
    return `v${version} is above the limit of ${meanText(findLimit(guard))} per session so far. The difference may still be chance.`
  }
  if (done >= minSessions) return `${plural(base + candidate, 'session')} compared.`
  const behind = candidate <= base ? version : baseVersion
  const verb = rest.state === 'running' ? 'has' : 'had'
  return `v${behind} ${verb} ${done} of the ${plural(minSessions, 'session')} that a verdict needs.`
}
