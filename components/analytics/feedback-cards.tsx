'use client'
// Charts of feedback: what followed it, without claiming that it was the cause.

import { countText, shareText } from '@signalbox/core/analysis'
import { rateText } from '@/components/kit/chart/chart-words.ts'
import { LegendItems } from '@/components/kit/chart/legend.tsx'
import { formatChartRange } from '@/components/kit/chart/plot.ts'
import { BASE, MAIN } from '@/components/kit/chart/series-look.ts'
import { LinkButton } from '@/components/ui/button.tsx'
import { Link } from '@/components/ui/link.tsx'
import { ADVICE_COUNTS, type Advice, type AdviceCount, groupAdvice } from './advice.ts'
import { ChartCard } from './chart-card.tsx'
import { CompareCard } from './compare-card.tsx'
import { AdviceChart } from './lazy-charts.tsx'
import { StackedCard, type Surroundings } from './stacked-card.tsx'

const LISTED = {
  delivered: 'any',
  followed: 'yes',
  notFollowed: 'no',
  ended: 'ended',
  open: 'open',
} as const satisfies Record<AdviceCount, string>

const REST = [
  ['notFollowed', 'not followed'],
  ['ended', 'session ended first'],
  ['open', 'open'],
] as const

export function FeedbackCards(around: Surroundings) {
  const { view } = around
  return (
    <>
      <ChartCard
        view={view}
        chart="advice"
        title="Feedback followed by the suggested action"
        empty="No feedback with a suggested action was delivered in this range."
        show={(data, onPick) => {
          const advice = groupAdvice(data)
          const sum = (name: 'delivered' | 'followed') =>
            advice.reduce((total, one) => total + one[name], 0)
          const buildHref = ({ provider, name }: Advice, count: AdviceCount): string =>
            view.listHref(
              '/feedback',
              { provider, name, followed: LISTED[count] },
              formatChartRange(data),
            )
          return {
            summary: `Followed by the suggested action: ${rateText(sum('followed'), sum('delivered'), 'delivery')}.`,
            note: 'A correlation: the action followed the feedback, which does not prove that the feedback caused it. Counts deliveries of built-in providers whose suggestion is observable in the log. What custom providers and custom texts suggest is not observable in the log; the chart of all deliveries includes them.',
            table: {
              columns: [
                { name: 'Provider', isNumber: false },
                { name: 'Counts as followed', isNumber: false },
                { name: 'Delivered', isNumber: true },
                { name: 'Followed', isNumber: true },
                { name: 'Not followed', isNumber: true },
                { name: 'Session ended first', isNumber: true },
                { name: 'Open', isNumber: true },
                { name: 'Followed %', isNumber: true },
              ],
              rows: advice.map((one) => [
                { text: one.provider },
                { text: one.act },
                ...ADVICE_COUNTS.map((count) => ({
                  text: countText(one[count]),
                  value: one[count],
                  href: one[count] === 0 ? undefined : buildHref(one, count),
                })),
                {
                  text: shareText(one.followed, one.delivered),
                  value: one.delivered === 0 ? null : (one.followed / one.delivered) * 100,
                },
              ]),
            },
            actions: (
              <LinkButton href={view.listHref('/feedback', {}, formatChartRange(data))}>
                Open the list
              </LinkButton>
            ),
            children: (
              <>
                <LegendItems
                  items={[
                    { label: 'delivered', ...BASE },
                    { label: 'followed by the action', ...MAIN },
                  ]}
                />
                <AdviceChart advice={advice} buildHref={buildHref} onPick={onPick} />
                <dl className="grid gap-x-4 gap-y-1 px-3 pt-1 pb-2 text-small sm:grid-cols-[minmax(96px,auto)_1fr]">
                  {advice.map((one) => (
                    <div key={`${one.provider} ${one.act}`} className="contents">
                      <dt className="font-medium">{one.provider}</dt>
                      <dd className="text-text-2">
                        followed: {rateText(one.followed, one.delivered, 'delivery')} ({one.act})
                        <Counts one={one} buildHref={buildHref} />
                      </dd>
                    </div>
                  ))}
                </dl>
              </>
            ),
          }
        }}
      />
      <StackedCard
        {...around}
        chart="deliveries"
        title="Feedback over time, by provider"
        empty="No feedback was delivered in this range."
        noun="delivery"
        counted="Deliveries"
        bucketHref={(range) => view.listHref('/feedback', {}, range)}
        otherNoun="providers"
        buildHref={([provider = ''], range) => view.listHref('/feedback', { provider }, range)}
        note="Every delivery that reached an agent, with or without a suggestion."
      />
      <CompareCard view={view} />
    </>
  )
}

function Counts({
  one,
  buildHref,
}: {
  readonly one: Advice
  readonly buildHref: (one: Advice, count: AdviceCount) => string
}) {
  return REST.filter(([count]) => one[count] > 0).map(([count, words]) => (
    <span key={count}>
      {' · '}
      <Link className="text-link underline" href={buildHref(one, count)}>
        {words} {countText(one[count])}
      </Link>
    </span>
  ))
}
