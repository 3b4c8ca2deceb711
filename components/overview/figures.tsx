// Each figure has the total of its percentage and a comparison with the day before or the newest release.

import { countText, plural, pluralize, shareText } from '@signalbox/core/analysis'
import type { inferRouterOutputs } from '@trpc/server'
import { STOP_ATTEMPTS } from '@/components/explanations/stop-attempts.ts'
import { Sparkline } from '@/components/kit/chart/sparkline.tsx'
import { Card } from '@/components/ui/card.tsx'
import type { AppRouter } from '@/server/trpc/root.ts'

export type FigureSet = inferRouterOutputs<AppRouter>['overview']['figures']
type Figure = FigureSet['callsDenied']

const DEFINITIONS = {
  running: 'Sessions running now. The bars show sessions started per hour.',
  denied: 'Tool calls that a policy denied, or that could not be evaluated.',
  blocked: `Stop attempts that a check blocked, or that could not be evaluated. ${STOP_ATTEMPTS}`,
  bypassed: `Stop attempts that were allowed without a check because of the deadline, the budget or the limit on blocked stops. ${STOP_ATTEMPTS}`,
} as const

function changeText({ release, before, after }: NonNullable<Figure['since']>): string {
  const points = (after - before) * 100
  const size = Math.abs(points)
  const sign = points < 0 ? '−' : '+'
  return `${sign}${size < 10 ? size.toFixed(1) : Math.round(size)} points since ${release}`
}

function beforeText({ previousValue, previousOf }: Figure, noun: string): string {
  if (previousOf === null) return `${countText(previousValue)} the day before`
  return previousOf === 0
    ? `no ${pluralize(noun)} the day before`
    : `${shareText(previousValue, previousOf)} the day before`
}

function ShareCard({
  name,
  noun,
  definition,
  figure,
}: {
  readonly name: string
  readonly noun: string
  readonly definition: string
  readonly figure: Figure
}) {
  const { value, of, since } = figure
  return (
    <FigureCard
      name={name}
      definition={definition}
      figure={figure}
      text={shareText(value, of ?? 0)}
      base={
        of === 0
          ? `no ${pluralize(noun)} in 24 h`
          : `${countText(value)} of ${plural(of ?? 0, noun)}`
      }
      change={since === null ? beforeText(figure, noun) : changeText(since)}
    />
  )
}

function FigureCard({
  name,
  definition,
  text,
  base,
  change,
  figure,
}: {
  readonly name: string
  readonly definition: string
  readonly text: string
  readonly base: string
  readonly change: string
  readonly figure: Figure
}) {
  return (
    <Card className="flex flex-col p-3">
      <h2 className="font-semibold text-h2 text-text-2" title={definition}>
        {name}
      </h2>
      <div className="flex grow items-end justify-between gap-2">
        <div className="min-w-0 self-start">
          <p className="font-semibold text-display">{text}</p>
          <p className="text-small text-text-3">{base}</p>
          <p className="break-words text-small text-text-3">{change}</p>
        </div>
        <Sparkline
          label={`${name}, last 24 hours`}
          values={figure.series.map(({ value }) => value)}
        />
      </div>
    </Card>
  )
}

export function Figures({ figures }: { readonly figures: FigureSet }) {
  const { liveSessions, callsDenied, stopsBlocked, stopsBypassed } = figures
  const started = liveSessions.series.reduce((sum, { value }) => sum + value, 0)
  return (
    <div className="grid grid-cols-1 gap-3 sm:grid-cols-2 xl:grid-cols-4">
      <FigureCard
        name="Running sessions"
        definition={DEFINITIONS.running}
        figure={liveSessions}
        text={countText(liveSessions.value)}
        base={`${countText(started)} started in 24 h`}
        change={beforeText(liveSessions, 'session')}
      />
      <ShareCard
        name="Tool calls denied"
        noun="call"
        definition={DEFINITIONS.denied}
        figure={callsDenied}
      />
      <ShareCard
        name="Stops blocked"
        noun="stop attempt"
        definition={DEFINITIONS.blocked}
        figure={stopsBlocked}
      />
      <ShareCard
        name="Stops bypassed"
        noun="stop attempt"
        definition={DEFINITIONS.bypassed}
        figure={stopsBypassed}
      />
    </div>
  )
}
