import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { findRule } from '@/server/retention/retention.sql.ts'
import {
  countGaps,
  type FrameFilter,
  hasImported,
  listPromptVersions,
  type NumberedVersion,
  type ReleaseMark,
  releaseMarks,
} from './analytics-frame.sql.ts'
import { loadCountedPrompts, sumRollups } from './rollup-sums.sql.ts'

const DAY = 86_400_000

export interface AnalyticsFrame {
  readonly prompts: readonly { readonly ns: string; readonly key: string }[]
  /** Versions of the chosen prompt; empty: no prompt is chosen. */
  readonly versions: readonly NumberedVersion[]
  readonly releases: readonly ReleaseMark[]
  /** The newest release, if no session has begun with it yet; null: some have, or there is no release. */
  readonly unused: ReleaseMark | null
  /** Retention has removed what was recorded before this instant, so lists may lack it; null: everything is kept. */
  readonly keptSince: number | null
  readonly gaps: number
  /** The project has imported sessions, which lists show but no count includes. */
  readonly imported: boolean
}

export async function analyticsFrame(
  { projectId }: ProjectScope,
  filter: FrameFilter,
  now: number,
): Promise<AnalyticsFrame> {
  const { prompt } = filter
  const [prompts, versions, releases, rule, gaps, imported] = await Promise.all([
    loadCountedPrompts(projectId),
    prompt === undefined ? [] : listPromptVersions(projectId, prompt),
    releaseMarks(projectId, filter),
    findRule(projectId),
    countGaps(projectId, filter),
    hasImported(projectId),
  ])
  const days = rule.decisionsDays ?? rule.eventsDays
  const keptSince = days === null ? null : Math.floor(now / DAY) * DAY - days * DAY
  return {
    prompts,
    versions,
    releases,
    unused: await findUnusedRelease(projectId, releases[0]),
    keptSince,
    gaps,
    imported,
  }
}

async function findUnusedRelease(
  projectId: AuthorizedProjectId,
  newest: ReleaseMark | undefined,
): Promise<ReleaseMark | null> {
  if (newest === undefined) return null
  const { ns, key, environment, digest } = newest
  const filter = { prompt: { ns, key }, environment, digests: [digest] }
  const range = { from: 0, until: Date.UTC(9999, 0, 1) }
  const wanted = { kind: 'session', by: [], stepHours: null } as const
  const [used] = await sumRollups(projectId, { ...filter, ...range }, wanted)
  return used === undefined ? newest : null
}
