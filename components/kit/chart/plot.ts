// Pure.

import { countText } from '@signalbox/core/analysis'
import type { Chart } from '@/server/analytics/charts.ts'
import type { ChartTable } from './chart-table.ts'
import { bucketText, rangeText } from './chart-words.ts'
import type { SeriesLook } from './series-look.ts'

export interface PlotSeries extends SeriesLook {
  /** Stable key for the address and the legend. */
  readonly key: string
  readonly label: string
  readonly counts: readonly number[]
  /** Address of the list behind a bar; absent: none. */
  readonly buildHref?: (range: string) => string | undefined
}

/** `values`: by key of the series. */
export interface PlotPoint {
  readonly at: number
  readonly isFilling: boolean
  readonly values: { readonly [key: string]: number | null }
}

export function toPoints(
  { buckets, stepMs }: Pick<Chart, 'buckets' | 'stepMs'>,
  series: readonly Pick<PlotSeries, 'key' | 'counts'>[],
  now: number,
): readonly PlotPoint[] {
  return buckets.map((at, index) => ({
    at,
    isFilling: at + stepMs > now,
    values: Object.fromEntries(series.map(({ key, counts }) => [key, counts[index] ?? 0])),
  }))
}

/** Differs from the requested range, because charts begin at a bucket. */
export function formatChartRange({ from, until }: Pick<Chart, 'from' | 'until'>): string {
  return rangeText(from, until)
}

export function sumCounts(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0)
}

export function tableOverTime(
  { buckets, stepMs }: Pick<Chart, 'buckets' | 'stepMs'>,
  series: readonly PlotSeries[],
  zone: string,
): ChartTable {
  return {
    columns: [
      { name: 'Time', isNumber: false },
      ...series.map(({ label }) => ({ name: label, isNumber: true })),
    ],
    rows: buckets.map((at, index) => [
      { text: bucketText(at, stepMs, zone), value: new Date(at).toISOString() },
      ...series.map(({ counts, buildHref }) => {
        const count = counts[index] ?? 0
        const href = count === 0 ? undefined : buildHref?.(rangeText(at, at + stepMs))
        return { text: countText(count), value: count, href }
      }),
    ]),
  }
}

export interface Bar {
  readonly key: string
  readonly label: string
  readonly count: number
  readonly href?: string | undefined
  /** Absent: ink, as most bars. */
  readonly look?: SeriesLook
}

export function buildTable(
  names: readonly string[],
  bars: readonly Bar[],
  noun: string,
): ChartTable {
  return {
    columns: [...names.map((name) => ({ name, isNumber: false })), { name: noun, isNumber: true }],
    rows: bars.map(({ label, count, href }) => [
      ...(names.length === 1 ? [label] : label.split(' · ')).map((text, index) =>
        index === 0 && count > 0 ? { text, href } : { text },
      ),
      { text: countText(count), value: count },
    ]),
  }
}
