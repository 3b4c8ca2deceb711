'use client'
// Does feedback work? What followed it, never what it caused.
import { LinkButton } from '../ui/button.tsx'
import { countText } from '../ui/count-text.ts'
import { adviceOf } from './advice.ts'
import { ChartCard } from './chart-card.tsx'
import { rateText, shareText } from './chart-words.ts'
import { CompareCard } from './compare-card.tsx'
import { AdviceChart } from './lazy-charts.tsx'
import { wholeOf } from './plot.ts'
import { StackedCard, type Surroundings } from './stacked-card.tsx'

export function FeedbackCards(around: Surroundings) {
  const { view } = around
  return (
    <>
      <ChartCard
        view={view}
        chart="advice"
        title="Is feedback followed by what it suggests?"
        empty="No feedback that suggests a visible act was delivered in this range."
        show={(data) => {
          const advice = adviceOf(data)
          const sum = (name: 'delivered' | 'followed') =>
            advice.reduce((total, one) => total + one[name], 0)
          return {
            summary: `Followed by the suggested act: ${rateText(sum('followed'), sum('delivered'), 'deliveries')}.`,
            note: 'A correlation: the act came after the feedback, which does not say that it came because of it. Counted are deliveries of the built-in providers whose suggestion can be seen in the log. What a custom provider or a text of one’s own suggests, no log shows; those stand in the chart of all deliveries.',
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
                ...[one.delivered, one.followed, one.notFollowed, one.ended, one.open].map(
                  (count) => ({ text: countText(count), value: count }),
                ),
                {
                  text: shareText(one.followed, one.delivered),
                  value: one.delivered === 0 ? null : (one.followed / one.delivered) * 100,
                },
              ]),
            },
            actions: (
              <LinkButton href={view.listHref('/sessions', { status: 'all' }, wholeOf(data))}>
                Open the sessions
              </LinkButton>
            ),
            children: (
              <>
                <AdviceChart advice={advice} />
                <dl className="grid gap-x-4 gap-y-1 px-3 pt-1 pb-2 text-small sm:grid-cols-[minmax(96px,auto)_1fr]">
                  {advice.map(({ provider, act, delivered, followed }) => (
                    <div key={`${provider} ${act}`} className="contents">
                      <dt className="font-medium">{provider}</dt>
                      <dd className="text-text-2">
                        followed: {rateText(followed, delivered, 'deliveries')} ({act})
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
        title="When was feedback delivered, by provider?"
        empty="No feedback was delivered in this range."
        noun="delivery"
        otherNoun="providers"
        hrefOf={(_, range) => view.listHref('/sessions', { status: 'all' }, range)}
        note="Every delivery that reached an agent, with or without a suggestion."
      />
      <CompareCard view={view} />
    </>
  )
}
