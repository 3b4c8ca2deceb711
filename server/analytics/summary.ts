import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { computeBuckets } from './charts.ts'
import { type RollupFilter, type SumsWanted, sumRollups } from './rollup-sums.sql.ts'

export const SUMMARY_TOPICS = ['denials', 'feedback', 'stops', 'plans'] as const

type SummaryTopic = (typeof SUMMARY_TOPICS)[number]

const WANTED = {
  denials: { kind: 'call', by: ['a'], stepHours: null },
  feedback: { kind: 'act', by: ['c'], stepHours: null },
  stops: { kind: 'stop', by: ['a'], stops: 'attempts', stepHours: null },
  plans: { kind: 'plan_end', by: ['a'], stepHours: null },
} as const satisfies Record<SummaryTopic, SumsWanted>

/** Counts by name: decision, outcome of advice, verdict, or plan at the end. */
export type Totals = Readonly<Record<string, number>>

export interface Summary {
  readonly now: Totals
  /** Of the period of equal length before. */
  readonly before: Totals
  readonly sessions: number
}

/** Counts the range of a chart with the same filter, which begins with a bucket. */
export async function loadSummary(
  { projectId }: ProjectScope,
  topic: SummaryTopic,
  { filter: asked, now: at }: { readonly filter: RollupFilter; readonly now: number },
): Promise<Summary> {
  const { from, until } = computeBuckets(asked, at)
  const filter = { ...asked, from, until }
  const sum = async (range: { readonly from: number; readonly until: number }) => {
    const rows = await sumRollups(projectId, { ...filter, ...range }, WANTED[topic])
    return Object.fromEntries(rows.map(({ names: [name], count }) => [name ?? '', count]))
  }
  const [now, before, [sessions]] = await Promise.all([
    sum({ from, until }),
    sum({ from: from - (until - from), until: from }),
    sumRollups(projectId, filter, { kind: 'session', by: [], stepHours: null }),
  ])
  return { now, before, sessions: sessions?.count ?? 0 }
}
