// Long lists show only the largest rows, and the chart reports the rest (specs/analytics.md).

import type { SeriesKind } from '@/server/ingest/rollups/series.ts'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { listDigestNumbers } from './analytics-frame.sql.ts'
import {
  type RollupFilter,
  type RollupSum,
  type StopKind,
  type SumName,
  sumRollups,
} from './rollup-sums.sql.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Older counts are stored by day (server/ingest/rollups.sql.ts); one day less, because days are merged once a night. */
const HOURS_REACH = 34 * DAY
const MOST = 300
const STEPS = [1, 6, 24, 168, 672] as const
/** Beyond it, bars of an hour are too narrow to tell apart. */
const MOST_HOURS = 96
/** A Monday, from which all buckets are counted. */
const ORIGIN = Date.UTC(2001, 0, 1)

interface Buckets {
  readonly from: number
  readonly until: number
  readonly stepHours: number
  readonly starts: readonly number[]
}

/** Splits a range into at most 300 buckets: up to 96 hours, six hours, days or weeks in UTC. */
export function computeBuckets(
  range: { readonly from: number; readonly until: number },
  now: number,
): Buckets {
  const isOld = range.from < now - HOURS_REACH
  const fitting = STEPS.find(
    (step) =>
      (!isOld || step >= 24) &&
      (range.until - range.from) / (step * HOUR) <= (step === 1 ? MOST_HOURS : MOST - 2),
  )
  const stepHours = fitting ?? 672
  const step = stepHours * HOUR
  const floor = (at: number): number => ORIGIN + Math.floor((at - ORIGIN) / step) * step
  // A range over 300 months is cut at its start.
  const from = Math.max(floor(range.from), floor(range.until) - (MOST - 2) * step)
  const starts: number[] = []
  for (let at = from; at < range.until; at += step) starts.push(at)
  return { from, until: from + starts.length * step, stepHours, starts }
}

export const CHARTS = [
  'denials',
  'calls',
  'pairs',
  'content',
  'content_actions',
  'denial_reasons',
  'allowed_later',
  'stop_ends',
  'final_checks',
  'attempts',
  'reasons',
  'deliveries',
  'advice',
  'sessions',
  'endings',
  'time_used',
  'plan_end',
] as const

export type ChartName = (typeof CHARTS)[number]

interface Definition {
  readonly kind: SeriesKind
  readonly by: readonly SumName[]
  /** False: one sum. */
  readonly isOverTime: boolean
  /** Kind of stops that count. Absent: all. */
  readonly stops?: StopKind
  /** Number of rows shown separately; the others are one row. Absent: all. */
  readonly most?: number
}

const DEFINITIONS: { readonly [Name in ChartName]: Definition } = {
  denials: { kind: 'denial', by: ['a'], isOverTime: true, most: 6 },
  calls: { kind: 'call', by: ['a'], isOverTime: true },
  pairs: { kind: 'denial', by: ['a', 'b'], isOverTime: false, most: 12 },
  content: { kind: 'content', by: ['a'], isOverTime: true, most: 6 },
  content_actions: { kind: 'content', by: ['a', 'c'], isOverTime: false, most: 12 },
  denial_reasons: { kind: 'denial', by: ['c', 'b'], isOverTime: false },
  allowed_later: { kind: 'allowed_later', by: ['a'], isOverTime: false },
  stop_ends: { kind: 'stop', by: ['a'], isOverTime: true, stops: 'attempts' },
  final_checks: { kind: 'stop', by: ['a'], isOverTime: true, stops: 'final' },
  attempts: { kind: 'until', by: ['a'], isOverTime: false },
  reasons: { kind: 'stop', by: ['a', 'b'], isOverTime: false, stops: 'attempts', most: 12 },
  deliveries: { kind: 'feedback', by: ['a'], isOverTime: true, most: 6 },
  advice: { kind: 'act', by: ['a', 'b', 'c'], isOverTime: false },
  sessions: { kind: 'session', by: [], isOverTime: true },
  endings: { kind: 'ended', by: ['a'], isOverTime: true },
  time_used: { kind: 'time_used', by: ['a'], isOverTime: false },
  plan_end: { kind: 'plan_end', by: ['a'], isOverTime: false },
}

/** What the chart of denials is stacked by. */
export const DENIAL_GROUPS = ['rule', 'reason', 'tool', 'prompt', 'version'] as const

type DenialGroup = (typeof DENIAL_GROUPS)[number]

const GROUP_NAMES = {
  rule: 'a',
  reason: 'c',
  tool: 'b',
  prompt: 'prompt',
  version: 'version',
} as const satisfies Record<DenialGroup, SumName>

export interface ChartRow {
  readonly names: readonly string[]
  /** One count per bucket; a single one if the chart is not over time. */
  readonly counts: readonly number[]
}

export interface Chart {
  /** Epoch ms at a bucket boundary; `until` is exclusive. */
  readonly from: number
  readonly until: number
  readonly stepMs: number
  /** Starts of the buckets, ascending; empty: the chart is not over time. */
  readonly buckets: readonly number[]
  readonly rows: readonly ChartRow[]
  /** Sum of the names that are not in `rows`; null: none. `of`: number of all names. */
  readonly others: { readonly counts: readonly number[]; readonly of: number } | null
  readonly total: number
}

function isShown(name: ChartName, { names: [verdict] }: RollupSum): boolean {
  // A stop under a config without a check is no attempt.
  if (name === 'stop_ends') return verdict !== 'no_checker'
  return name !== 'reasons' || verdict === 'blocked' || verdict === 'error'
}

export interface Asked {
  readonly chart: ChartName
  readonly filter: RollupFilter
  readonly now: number
  /** Only for the chart of denials. Absent: by rule. */
  readonly group?: DenialGroup | undefined
}

export async function loadChart(
  { projectId }: ProjectScope,
  { chart, filter: asked, now, group = 'rule' }: Asked,
): Promise<Chart> {
  const { isOverTime, most, ...defined } = DEFINITIONS[chart]
  const series = chart === 'denials' ? { ...defined, by: [GROUP_NAMES[group]] } : defined
  const { by } = series
  const { starts, stepHours, from, until } = computeBuckets(asked, now)
  const filter = { ...asked, from, until }
  const sums = await sumRollups(projectId, filter, { ...series, stepHours: null })
  const totals = sums.filter((sum) => isShown(chart, sum))
  const shown = most === undefined ? totals : totals.slice(0, most)
  const isCut = shown.length < totals.length
  const total = sumCells(totals)
  const frame = { from, until, stepMs: stepHours * HOUR, total }
  if (!isOverTime) {
    const others = isCut ? { counts: [total - sumCells(shown)], of: totals.length } : null
    return { ...frame, buckets: [], rows: shown.map(toChartRow), others }
  }
  const apart = shown.flatMap(({ names }) => names[0] ?? [])
  const wanted = { ...series, stepHours, ...(by.length === 0 ? {} : { apart }) }
  const cells = await sumRollups(projectId, filter, wanted)
  const rows = shown.map(({ names }) => ({
    names: names.flatMap((one) => one ?? []),
    counts: alignCounts(starts, filterByName(cells, names[0])),
  }))
  const others = isCut
    ? { counts: alignCounts(starts, filterByName(cells, null)), of: totals.length }
    : null
  const named =
    chart === 'denials' && group === 'version' ? await nameVersions(projectId, rows) : rows
  return { ...frame, buckets: starts, rows: named, others }
}

/** Replaces a digest by the number of its version; a version that is gone keeps the digest. */
async function nameVersions(
  projectId: ProjectScope['projectId'],
  rows: readonly ChartRow[],
): Promise<readonly ChartRow[]> {
  const parts = rows.map(({ names: [name = ''], counts }) => {
    const at = name.indexOf('@')
    return { prompt: name.slice(0, at), digest: name.slice(at + 1), counts }
  })
  const numbers = await listDigestNumbers(
    projectId,
    parts.map(({ digest }) => digest),
  )
  return parts.map(({ prompt, digest, counts }) => {
    const number = numbers.find((one) => one.digest === digest && one.prompt === prompt)?.number
    return { names: [prompt, number === undefined ? digest : `v${number}`], counts }
  })
}

function sumCells(sums: readonly RollupSum[]): number {
  return sums.reduce((sum, { count }) => sum + count, 0)
}

/** Cells of a row. A cell without a name matches any name: such a chart has a single row. */
function filterByName(cells: readonly RollupSum[], name: string | null | undefined) {
  return cells.filter(({ names }) => names.length === 0 || names[0] === name)
}

function alignCounts(starts: readonly number[], cells: readonly RollupSum[]): readonly number[] {
  const byStart = new Map(cells.map(({ at, count }) => [at, count]))
  return starts.map((at) => byStart.get(at) ?? 0)
}

function toChartRow({ names, count }: RollupSum): ChartRow {
  return { names: names.map((one) => one ?? ''), counts: [count] }
}
