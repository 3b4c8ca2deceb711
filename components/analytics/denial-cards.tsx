'use client'

import { countText, shareText } from '@signalbox/core/analysis'
import { bucketText, rangeText, rateText } from '@/components/kit/chart/chart-words.ts'
import { formatChartRange, sumCounts, toPoints } from '@/components/kit/chart/plot.ts'
import { BASE } from '@/components/kit/chart/series-look.ts'
import { useZone } from '@/components/ui/time.tsx'
import { ChartCard } from './chart-card.tsx'
import { CompareCard } from './compare-card.tsx'
import { ContentCards } from './content-cards.tsx'
import { TimeChart } from './lazy-charts.tsx'
import { NamedCard } from './named-card.tsx'
import { StackedCard, type Surroundings } from './stacked-card.tsx'

export function DenialCards(around: Surroundings) {
  const { view } = around
  return (
    <>
      <StackedCard
        {...around}
        chart="denials"
        title="Denials over time, by rule"
        empty="No tool call was denied in this range."
        noun="denied call"
        otherNoun="rules"
        buildHref={([rule = ''], range) => view.listHref('/decisions', { rule }, range)}
      />
      <RateCard {...around} />
      <NamedCard
        view={view}
        chart="pairs"
        title="Denials by rule and tool"
        empty="No tool call was denied in this range."
        noun="denied call"
        columns={['Rule', 'Tool']}
        isLying
        toBars={({ rows, ...whole }) =>
          rows.map(({ names: [rule = '', tool = ''], counts }) => ({
            key: `${rule} ${tool}`,
            label: `${rule === '' ? 'no rule' : rule} · ${tool}`,
            count: sumCounts(counts),
            href: view.listHref('/decisions', { rule, tool }, formatChartRange(whole)),
          }))
        }
      />
      <ContentCards {...around} />
      <CompareCard view={view} />
    </>
  )
}

/** Rows of the chart `calls` are decisions. */
function RateCard({ view, marks, keptSince }: Surroundings) {
  const zone = useZone()
  return (
    <ChartCard
      view={view}
      chart="calls"
      title="Denial rate and releases"
      empty="No tool call was decided in this range."
      show={(data, onPick) => {
        const sumDecisions = (...decisions: readonly string[]) =>
          data.buckets.map((_, index) =>
            data.rows
              .filter(({ names: [decision = ''] }) => decisions.includes(decision))
              .reduce((sum, { counts }) => sum + (counts[index] ?? 0), 0),
          )
        const calls = sumDecisions('allowed', 'denied', 'error')
        const parts = sumDecisions('denied', 'error')
        const series = [{ key: 'calls', label: 'calls decided', ...BASE, counts: calls }]
        return {
          summary: `Denied: ${rateText(sumCounts(parts), sumCounts(calls), 'call')} decided in this range.`,
          note: 'A call that could not be evaluated counts as denied. The line has a gap where no call was decided, and excludes the current, unfinished period.',
          table: {
            columns: [
              { name: 'Time', isNumber: false },
              { name: 'Calls decided', isNumber: true },
              { name: 'Denied', isNumber: true },
              { name: 'Denied %', isNumber: true },
            ],
            rows: data.buckets.map((at, index) => {
              const call = calls[index] ?? 0
              const denied = parts[index] ?? 0
              const range = rangeText(at, at + data.stepMs)
              return [
                { text: bucketText(at, data.stepMs, zone), value: new Date(at).toISOString() },
                { text: countText(call), value: call },
                {
                  text: countText(denied),
                  value: denied,
                  href: denied === 0 ? undefined : view.listHref('/decisions', {}, range),
                },
                { text: shareText(denied, call), value: call === 0 ? null : (denied / call) * 100 },
              ]
            }),
          },
          children: (
            <TimeChart
              points={toPoints(data, series, Date.now())}
              stepMs={data.stepMs}
              series={series}
              rate={{ label: 'denied', noun: 'call', parts }}
              marks={marks}
              keptSince={keptSince}
              onPick={onPick}
            />
          ),
        }
      }}
    />
  )
}
