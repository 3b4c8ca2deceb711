'use client'

import { plural, reasonWords, shareText } from '@signalbox/core/analysis'
import { STOP_ATTEMPTS } from '@/components/explanations/stop-attempts.ts'
import { type Bar, formatChartRange, sumCounts } from '@/components/kit/chart/plot.ts'
import { verdictLook } from '@/components/kit/chart/series-look.ts'
import { CompareCard } from './compare-card.tsx'
import { NamedCard } from './named-card.tsx'
import { StackedCard, type Surroundings } from './stacked-card.tsx'

const ATTEMPTS = ['1', '2', '3', '4', '5'] as const

export function StopCards(around: Surroundings) {
  const { view } = around
  return (
    <>
      <StackedCard
        {...around}
        chart="stop_ends"
        title="Stop attempts by verdict"
        empty="No agent tried to stop in this range."
        noun="stop attempt"
        counted="Stop attempts"
        bucketHref={(range) => view.listHref('/stops', { by: 'all' }, range)}
        canShare
        selectLook={([verdict = '']) => verdictLook(verdict)}
        buildHref={([verdict = ''], range) =>
          view.listHref('/stops', { by: 'all', verdict }, range)
        }
        note={`Bypassed stops are hatched: they were let through unfinished because of the deadline, the budget or the limit on blocked stops. ${STOP_ATTEMPTS}`}
      />
      <NamedCard
        view={view}
        chart="reasons"
        title="Blocked and failed stops by reason"
        empty="No stop was blocked or failed in this range."
        noun="blocked or failed stop"
        columns={['Reason']}
        isLying
        toBars={({ rows, ...whole }) =>
          rows.map(({ names: [verdict = '', code = ''], counts }) => ({
            key: `${verdict} ${code}`,
            label: verdict === 'error' ? `${reasonWords(code)} (error)` : reasonWords(code),
            count: sumCounts(counts),
            look: verdictLook(verdict),
            href: view.listHref('/stops', { by: 'all', verdict, code }, formatChartRange(whole)),
          }))
        }
      />
      <NamedCard
        view={view}
        chart="attempts"
        title="Attempts until a stop was allowed"
        empty="No stop was allowed in this range."
        noun="allowed stop"
        columns={['Attempts']}
        isLying={false}
        toBars={({ rows, ...whole }) =>
          ATTEMPTS.map((name) => ({
            key: name,
            label: name === '5' ? '5 or more' : name,
            count: sumCounts(rows.find(({ names }) => names[0] === name)?.counts ?? []),
            href: view.listHref(
              '/stops',
              { by: 'all', q: name === '5' ? 'attempts:>4' : `attempts:${name}` },
              formatChartRange(whole),
            ),
          }))
        }
        summarizeBars={attemptsSummary}
        note="Attempts since the last stop that was allowed, including this one. Bypassed stops and final verifications are not counted."
      />
      <StackedCard
        {...around}
        chart="final_checks"
        title="Final verifications by verdict"
        empty="No session ended with a final verification in this range."
        noun="final verification"
        counted="Final verifications"
        canShare
        selectLook={([verdict = '']) => finalLook(verdict)}
        buildHref={([verdict = ''], range) =>
          view.listHref('/stops', { by: 'all', verdict, q: 'via:final' }, range)
        }
        note="The runtime checks once more when a session ends. This blocks nothing and is not a stop attempt."
      />
      <CompareCard view={view} />
    </>
  )
}

/** A final verification holds nothing back: it reports that the task is incomplete. */
function finalLook(verdict: string): ReturnType<typeof verdictLook> {
  const look = verdictLook(verdict)
  return verdict === 'blocked' ? { ...look, label: 'Incomplete' } : look
}

function attemptsSummary(bars: readonly Bar[], total: number): string {
  const atOnce = bars.find(({ key }) => key === '1')?.count ?? 0
  return `${plural(total, 'allowed stop')}; ${shareText(atOnce, total)} at the first attempt.`
}
