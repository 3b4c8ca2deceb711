'use client'

import { countText, reasonWords, shareText } from '@signalbox/core/analysis'
import { bucketText, rangeText, rateText } from '@/components/kit/chart/chart-words.ts'
import { formatChartRange, sumCounts } from '@/components/kit/chart/plot.ts'
import { Select } from '@/components/ui/select.tsx'
import { useZone } from '@/components/ui/time.tsx'
import { ChartCard } from './chart-card.tsx'
import { CompareCard } from './compare-card.tsx'
import { ContentCards } from './content-cards.tsx'
import { RateChart } from './lazy-charts.tsx'
import { NamedCard } from './named-card.tsx'
import { findReasonFilter } from './reason-filter.ts'
import { ReasonsCard } from './reasons-card.tsx'
import { StackedCard, type Surroundings } from './stacked-card.tsx'
import { findDeniedBefore, periodText } from './summary-words.ts'
import { GROUPS } from './use-analytics-view.ts'

export function DenialCards(around: Surroundings) {
  const { view } = around
  const { group } = view.values
  return (
    <>
      <StackedCard
        {...around}
        chart="denials"
        title={`Denied calls by ${group}`}
        empty="No tool call was denied in this range."
        noun="denied call"
        counted="Denied calls"
        otherNoun={`${group}s`}
        selectLabel={GROUP_LABELS[group]}
        buildHref={(names, range) => view.listHref('/decisions', toListFilter(group, names), range)}
        bucketHref={(range) => view.listHref('/decisions', {}, range)}
        controls={
          <Select
            label="Group by"
            value={group}
            options={GROUPS.map((value) => ({ value, label: `Group by: ${value}` }))}
            onChange={(next) => view.change({ group: next, off: null })}
          />
        }
      />
      <div className="grid grid-cols-1 items-start gap-3 lg:grid-cols-[minmax(0,1fr)_minmax(0,1.35fr)]">
        <RateCard {...around} />
        <ReasonsCard view={view} />
      </div>
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

const nameOr =
  (empty: string) =>
  ([name = '']: readonly string[]): string =>
    name === '' ? empty : name

const GROUP_LABELS = {
  rule: nameOr('no rule'),
  reason: ([code = '']: readonly string[]) => reasonWords(code),
  tool: nameOr('no tool'),
  prompt: nameOr('no prompt'),
  version: ([prompt = '', version = '']: readonly string[]) => `${prompt} ${version.slice(0, 16)}`,
} as const

function toListFilter(
  group: (typeof GROUPS)[number],
  [name = '', version = '']: readonly string[],
): { readonly [name: string]: string } {
  switch (group) {
    case 'rule':
      return { rule: name }
    case 'reason':
      return findReasonFilter(name)
    case 'tool':
      return { tool: name }
    case 'prompt':
      return { prompt: name }
    case 'version':
      return { prompt: name, ...(version.startsWith('v') ? { version: version.slice(1) } : {}) }
    default:
      return group satisfies never
  }
}

/** Rows of the chart `calls` are decisions. */
function RateCard({ view, marks, keptSince, summary }: Surroundings) {
  const zone = useZone()
  const { from, until } = view.filter
  const percent = summary === undefined ? null : findDeniedBefore(summary)
  return (
    <ChartCard
      view={view}
      chart="calls"
      title="Share of calls denied"
      empty="No tool call was decided in this range."
      show={(data) => {
        const sumDecisions = (...decisions: readonly string[]) =>
          data.buckets.map((_, index) =>
            data.rows
              .filter(({ names: [decision = ''] }) => decisions.includes(decision))
              .reduce((sum, { counts }) => sum + (counts[index] ?? 0), 0),
          )
        const calls = sumDecisions('allowed', 'denied', 'error')
        const parts = sumDecisions('denied', 'error')
        const now = Date.now()
        const told = `${rateText(sumCounts(parts), sumCounts(calls), 'call')}`
        return {
          summary: told,
          note: 'A call that could not be evaluated counts as denied. The line has a gap where no call was decided; the unfinished period is dotted.',
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
            <RateChart
              points={data.buckets.map((at, index) => ({
                at,
                isFilling: at + data.stepMs > now,
                part: parts[index] ?? 0,
                whole: calls[index] ?? 0,
              }))}
              stepMs={data.stepMs}
              noun="call"
              word="Denied"
              before={
                percent === null
                  ? null
                  : { percent, label: periodText(until - from).replace('the ', '') }
              }
              marks={marks}
              keptSince={keptSince}
              label={`Denied: ${told} decided in this range.`}
            />
          ),
        }
      }}
    />
  )
}
