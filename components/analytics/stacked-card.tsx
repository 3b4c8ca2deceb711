'use client'

import { countText, plural } from '@signalbox/core/analysis'
import type { ReactNode } from 'react'
import { Legend } from '@/components/kit/chart/legend.tsx'
import type { Mark } from '@/components/kit/chart/marks.ts'
import {
  formatChartRange,
  type PlotSeries,
  sumCounts,
  tableOverTime,
  toPoints,
} from '@/components/kit/chart/plot.ts'
import { OTHERS, type SeriesLook, seriesLook } from '@/components/kit/chart/series-look.ts'
import { Button } from '@/components/ui/button.tsx'
import { useZone } from '@/components/ui/time.tsx'
import type { Chart, ChartName } from '@/server/analytics/charts.ts'
import type { Summary } from '@/server/analytics/summary.ts'
import { ChartCard } from './chart-card.tsx'
import { TimeChart } from './lazy-charts.tsx'
import type { AnalyticsView } from './use-analytics-view.ts'

export interface Surroundings {
  readonly view: AnalyticsView
  readonly marks: readonly Mark[]
  readonly keptSince: number | null
  /** Undefined: not loaded. */
  readonly summary: Summary | undefined
}

interface Stacked {
  readonly chart: ChartName
  readonly title: string
  readonly empty: string
  readonly noun: string
  /** Label and look of the row with these names; absent: the first name, with the hue of its position. */
  readonly selectLook?: (names: readonly string[]) => SeriesLook & { readonly label: string }
  /** Label of the row with these names; absent: the first name. */
  readonly selectLabel?: (names: readonly string[]) => string
  /** Address of the list behind a row in a range; absent or undefined: none. */
  readonly buildHref?: (names: readonly string[], range: string) => string | undefined
  /** Address of the list behind a whole bucket; absent: none. */
  readonly bucketHref?: (range: string) => string
  /** Name of the counted objects: "Denied calls". */
  readonly counted: string
  readonly controls?: ReactNode
  readonly otherNoun?: string
  readonly canShare?: true
  readonly note?: ReactNode
}

function toPlotSeries(
  data: Chart,
  { selectLook, selectLabel, buildHref, otherNoun }: Stacked,
): readonly PlotSeries[] {
  const rows = data.rows.map(({ names, counts }, index) => ({
    key: names.length === 0 ? 'all' : names.join(' '),
    ...(selectLook?.(names) ?? {
      ...seriesLook(index),
      label: selectLabel?.(names) ?? names[0] ?? '',
    }),
    counts,
    ...(buildHref === undefined ? {} : { buildHref: (range: string) => buildHref(names, range) }),
  }))
  const { others } = data
  if (others === null) return rows
  const label = `Others (${others.of - rows.length} of ${others.of} ${otherNoun ?? ''})`
  return [...rows, { key: 'others', ...OTHERS, label, counts: others.counts }]
}

export function StackedCard({ view, marks, keptSince, ...stacked }: Surroundings & Stacked) {
  const zone = useZone()
  const { chart, title, empty, noun, canShare, note, counted, bucketHref, controls } = stacked
  return (
    <ChartCard
      view={view}
      chart={chart}
      title={title}
      empty={empty}
      show={(data, onPick) => {
        const all = toPlotSeries(data, stacked)
        const series = all.filter(({ key }) => !view.off.has(`${chart}.${key}`))
        const isShare = canShare === true && view.values.share
        return {
          summary: describeTotal(data, noun),
          note,
          table: tableOverTime(data, series, zone),
          legend: (
            <Legend
              label={`Series of "${title}"`}
              items={all.map((one) => {
                const count = sumCounts(one.counts)
                const href = count === 0 ? undefined : one.buildHref?.(formatChartRange(data))
                return { ...one, count, text: countText(count), href }
              })}
              off={
                new Set(all.flatMap(({ key }) => (view.off.has(`${chart}.${key}`) ? [key] : [])))
              }
              onToggle={(key) => view.toggleOff(`${chart}.${key}`)}
            />
          ),
          actions:
            controls !== undefined ? (
              controls
            ) : canShare === true ? (
              <Button
                aria-pressed={isShare}
                onClick={() => view.change({ share: isShare ? null : true })}
              >
                {isShare ? 'As counts' : 'As 100%'}
              </Button>
            ) : undefined,
          children: (
            <TimeChart
              points={toPoints(data, series, Date.now())}
              stepMs={data.stepMs}
              series={series}
              isShare={isShare}
              marks={marks}
              keptSince={keptSince}
              onPick={onPick}
              label={summarizeSeries(all, data.total, noun)}
              counted={counted}
              buildHref={bucketHref}
            />
          ),
        }
      }}
    />
  )
}

/** Number of objects in a bucket that has not ended; 0 if all have. */
function countFilling({ buckets, stepMs, rows, others }: Chart): number {
  const last = buckets.length - 1
  if ((buckets[last] ?? 0) + stepMs <= Date.now()) return 0
  const series = others === null ? rows : [...rows, others]
  return series.reduce((sum, { counts }) => sum + (counts[last] ?? 0), 0)
}

function describeTotal(chart: Chart, noun: string): string {
  const { total } = chart
  const filling = countFilling(chart) > 0 ? ' · the last bar is still filling' : ''
  return `${plural(total, noun)}${filling}`
}

function summarizeSeries(series: readonly PlotSeries[], total: number, noun: string): string {
  const [first] = series
  const all = `${plural(total, noun)} in this range`
  if (series.length < 2 || first === undefined) return `${all}.`
  return `${all}; most are ${first.label} (${countText(sumCounts(first.counts))}).`
}
