'use client'

import { plural, shareText } from '@signalbox/core/analysis'
import { type Bar, formatChartRange, sumCounts } from '@/components/kit/chart/plot.ts'
import { seriesLook } from '@/components/kit/chart/series-look.ts'
import { NamedCard } from './named-card.tsx'
import { StackedCard, type Surroundings } from './stacked-card.tsx'

const TENTHS = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11'] as const

function tenthText(tenth: string): string {
  const from = Number(tenth) * 10
  return tenth === '11' ? '110%+' : `${from}–${from + 9}%`
}

function timeUsedText(tenth: string): string {
  const from = Number(tenth) * 10
  return tenth === '11' ? 'time-used:>109' : `time-used:${from}..${from + 9}`
}

/** Name of the count, its label, and the value of `plan-done` in the filter text. */
const PLANS = [
  ['none', 'no plan', 'no-plan'],
  ['0', 'none done', 'none'],
  ['1', '< 25%', 'under-25'],
  ['2', '< 50%', 'under-50'],
  ['3', '< 75%', 'under-75'],
  ['4', '< 100%', 'under-100'],
  ['5', 'all done', 'all'],
] as const

const END_WORDS: { readonly [reason: string]: string } = {
  completed: 'completed',
  failed: 'failed',
  aborted: 'aborted',
}

export function PlanCards(around: Surroundings) {
  const { view } = around
  return (
    <>
      <StackedCard
        {...around}
        chart="sessions"
        title="Sessions started"
        empty="No session began in this range."
        noun="session"
        counted="Sessions"
        bucketHref={(range) => view.listHref('/sessions', { status: 'all' }, range)}
        selectLook={() => ({ ...seriesLook(0), label: 'sessions' })}
        buildHref={(_, range) => view.listHref('/sessions', { status: 'all' }, range)}
      />
      <StackedCard
        {...around}
        chart="endings"
        title="How sessions ended"
        empty="No session ended in this range."
        noun="session end"
        counted="Session ends"
        selectLook={([reason = '']) => ({
          ...seriesLook(reason === 'completed' ? 0 : reason === 'failed' ? 1 : 2),
          label: END_WORDS[reason] ?? reason,
        })}
        buildHref={([reason = ''], range) => view.endedHref(`ending:${reason}`, range)}
        note="A resumed session can end more than once. Lost sessions have no end and are not counted here."
      />
      <NamedCard
        view={view}
        chart="time_used"
        title="Time used when sessions ended"
        empty="No session with a deadline ended in this range."
        noun="session end"
        columns={['Share of time used']}
        isLying={false}
        mark={{ key: '10', label: 'deadline' }}
        toBars={({ rows, ...whole }) =>
          TENTHS.map((tenth) => ({
            key: tenth,
            label: tenthText(tenth),
            count: sumCounts(rows.find(({ names }) => names[0] === tenth)?.counts ?? []),
            href: view.endedHref(timeUsedText(tenth), formatChartRange(whole)),
          }))
        }
        summarizeBars={deadlineSummary}
      />
      <NamedCard
        view={view}
        chart="plan_end"
        title="Plan progress when sessions ended"
        empty="No session ended in this range."
        noun="session end"
        columns={['Steps done']}
        isLying={false}
        toBars={({ rows, ...whole }) =>
          PLANS.map(([key, label, value]) => ({
            key,
            label,
            count: sumCounts(rows.find(({ names }) => names[0] === key)?.counts ?? []),
            href: view.endedHref(`plan-done:${value}`, formatChartRange(whole)),
          }))
        }
        summarizeBars={planSummary}
      />
    </>
  )
}

function deadlineSummary(bars: readonly Bar[], total: number): string {
  const late = bars
    .filter(({ key }) => Number(key) >= 10)
    .reduce((sum, { count }) => sum + count, 0)
  return `${plural(total, 'session')} with a deadline ended; ${shareText(late, total)} at or after it.`
}

function planSummary(bars: readonly Bar[], total: number): string {
  const done = bars.find(({ key }) => key === '5')?.count ?? 0
  const none = bars.find(({ key }) => key === 'none')?.count ?? 0
  return `${plural(total, 'session')} ended; ${shareText(done, total - none)} of those with a plan had completed it.`
}
