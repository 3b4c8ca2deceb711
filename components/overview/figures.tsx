// The four figures of the Overview: today's value, the share it is of, and how the day went.
import type { inferRouterOutputs } from '@trpc/server'
import type { AppRouter } from '@/server/trpc/root.ts'
import { Card } from '../ui/card.tsx'
import { countText, shareText } from '../ui/count-text.ts'
import { Sparkline } from './sparkline.tsx'

export type FigureSet = inferRouterOutputs<AppRouter>['overview']['figures']
type Figure = FigureSet['callsDenied']

/** A share where there is something to divide by, else the count. */
function figureText(value: number, of: number | null): string {
  return of === null ? countText(value) : shareText(value, of)
}

/** "+0.9 since story/coder@v2", in points of a hundred. */
function changeText({ release, before, after }: NonNullable<Figure['since']>): string {
  const points = (after - before) * 100
  const size = Math.abs(points)
  const sign = points < 0 ? '−' : '+'
  return `${sign}${size < 10 ? size.toFixed(1) : Math.round(size)} since ${release}`
}

function FigureCard({
  name,
  unit,
  figure,
}: {
  readonly name: string
  readonly unit: string
  readonly figure: Figure
}) {
  const base =
    figure.of === null ? unit : `${countText(figure.value)} of ${countText(figure.of)} ${unit}`
  const before = figureText(figure.previousValue, figure.previousOf)
  const change = figure.since === null ? `before ${before}` : changeText(figure.since)
  return (
    <Card className="flex items-end justify-between gap-2 p-3">
      <div className="min-w-0">
        <h2 className="font-semibold text-h2 text-text-2">{name}</h2>
        <p className="font-semibold text-display">{figureText(figure.value, figure.of)}</p>
        <p
          className="truncate text-small text-text-3"
          title={`${base} in 24 h; the day before: ${before}${figure.since === null ? '' : `; ${changeText(figure.since)}, compared with the 24 h before it`}`}
        >
          {base} · {change}
        </p>
      </div>
      <Sparkline
        label={`${name}, last 24 hours`}
        values={figure.series.map(({ value }) => value)}
      />
    </Card>
  )
}

export function Figures({ figures }: { readonly figures: FigureSet }) {
  return (
    <div className="grid grid-cols-1 gap-3 sm:grid-cols-2 xl:grid-cols-4">
      <FigureCard name="Live sessions" unit="started in 24 h" figure={figures.liveSessions} />
      <FigureCard name="Tool calls denied" unit="calls" figure={figures.callsDenied} />
      <FigureCard name="Stops blocked" unit="stops" figure={figures.stopsBlocked} />
      <FigureCard name="Stops bypassed" unit="stops" figure={figures.stopsBypassed} />
    </div>
  )
}
