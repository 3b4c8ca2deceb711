'use client'

import { plural, pluralize, shareText } from '@signalbox/core/analysis'
import type { ReactNode } from 'react'
import { type Bar, buildTable, sumCounts } from '@/components/kit/chart/plot.ts'
import type { Chart, ChartName } from '@/server/analytics/charts.ts'
import { ChartCard } from './chart-card.tsx'
import { BarsChart } from './lazy-charts.tsx'
import type { AnalyticsView } from './use-analytics-view.ts'

interface Named {
  readonly view: AnalyticsView
  readonly chart: ChartName
  readonly title: string
  readonly empty: string
  /** Singular noun of the counted objects: "denied call". */
  readonly noun: string
  /** With more than one, labels are joined by " · ". */
  readonly columns: readonly string[]
  /** Without the bar of the others. */
  readonly toBars: (data: Chart) => readonly Bar[]
  readonly isLying: boolean
  readonly mark?: { readonly key: string; readonly label: string }
  readonly summarizeBars?: (bars: readonly Bar[], total: number) => string
  readonly note?: ReactNode
  readonly actions?: ReactNode
}

/** Rows beyond the largest ones, as one bar. `columns`: parts of a label. */
function toOthersBar({ rows, others }: Chart, columns: number): readonly Bar[] {
  if (others === null) return []
  const name = `Others (${others.of - rows.length} of ${others.of})`
  const label = [name, ...Array<string>(columns - 1).fill('–')].join(' · ')
  return [{ key: 'others', label, count: sumCounts(others.counts) }]
}

export function NamedCard(props: Named) {
  const { view, chart, title, empty, noun, columns, toBars, isLying, mark } = props
  return (
    <ChartCard
      view={view}
      chart={chart}
      title={title}
      empty={empty}
      show={(data, onPick) => {
        const bars = [...toBars(data), ...toOthersBar(data, columns.length)]
        const summary = (props.summarizeBars ?? describeLargest(noun))(bars, data.total)
        return {
          summary,
          note: props.note,
          actions: props.actions,
          table: buildTable(columns, bars, pluralize(noun)),
          children: (
            <BarsChart
              bars={bars}
              isLying={isLying}
              noun={noun}
              total={data.total}
              onPick={onPick}
              {...(mark === undefined ? {} : { mark })}
            />
          ),
        }
      }}
    />
  )
}

function describeLargest(noun: string) {
  return (bars: readonly Bar[], total: number): string => {
    const [first] = [...bars].sort((a, b) => b.count - a.count)
    const all = plural(total, noun)
    if (first === undefined) return all
    return `${all}. Most frequent: ${first.label} (${shareText(first.count, total)})`
  }
}
