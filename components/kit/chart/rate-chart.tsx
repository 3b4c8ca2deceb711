'use client'
// A share over time, without bars. Gaps stay gaps.
import { percentText } from '@signalbox/core/analysis'
import { useId } from 'react'
import {
  CartesianGrid,
  Line,
  LineChart,
  ReferenceArea,
  ReferenceDot,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts'
import { useZone } from '@/components/ui/time.tsx'
import { HatchDefs } from './bar-shape.tsx'
import { TooltipBox } from './chart-tooltip.tsx'
import { bucketText, computeTicks, niceScale, rateText, stepText } from './chart-words.ts'
import { type Mark, mergeMarks } from './marks.ts'

const TICK = { fontSize: 11, fill: 'var(--text-2)' }
const HEIGHT = 230

interface RatePoint {
  readonly at: number
  readonly isFilling: boolean
  readonly part: number
  readonly whole: number
}

interface RateChartProps {
  readonly points: readonly RatePoint[]
  readonly stepMs: number
  /** Noun of the whole: "call". */
  readonly noun: string
  /** What the part is: "denied". */
  readonly word: string
  /** Percentage of the period before; null: it had none of the whole. */
  readonly before: { readonly percent: number; readonly label: string } | null
  readonly marks: readonly Mark[]
  readonly keptSince: number | null
  readonly label: string
}

function percentOf({ part, whole }: RatePoint): number | null {
  return whole === 0 ? null : (part / whole) * 100
}

export function RateChart(props: RateChartProps) {
  const { points, stepMs, noun, word, before, keptSince, label } = props
  const zone = useZone()
  const id = useId().replaceAll(':', '')
  const marks = mergeMarks(props)
  const ticks = computeTicks(
    points.map(({ at }) => at),
    stepMs,
    zone,
  )
  const filling = points.findIndex(({ isFilling }) => isFilling)
  const finished = points.map((point) => (point.isFilling ? null : percentOf(point)))
  const scale = niceScale(
    Math.max(1, ...points.map((point) => percentOf(point) ?? 0), before?.percent ?? 0),
  )
  const data = points.map((point, index) => {
    const percent = percentOf(point)
    const rate = finished[index] ?? null
    const isAlone = (finished[index - 1] ?? null) === null && (finished[index + 1] ?? null) === null
    return {
      at: point.at,
      rate,
      // A line needs two points, so one without neighbors is a dot.
      alone: isAlone ? rate : null,
      // The unfinished bucket is joined by a dotted line, because it will still change.
      open: index === filling || index === filling - 1 ? percent : null,
    }
  })
  const last = filling < 0 ? undefined : points[filling]
  const lastPercent = last === undefined ? null : percentOf(last)
  const gone = points.filter(({ at }) => keptSince !== null && at < keptSince)
  const [first] = gone
  return (
    <div>
      <p aria-hidden className="px-2 text-small text-text-2">
        {word} per {stepText(stepMs)}, % of {noun}s
      </p>
      <ResponsiveContainer width="100%" height={HEIGHT}>
        <LineChart
          data={data}
          role="img"
          title={label}
          margin={{ top: 20, right: 76, bottom: 0, left: 0 }}
        >
          <HatchDefs id={id} />
          <CartesianGrid vertical={false} stroke="var(--border)" />
          <XAxis
            dataKey="at"
            ticks={ticks.map(({ at }) => at)}
            tickFormatter={(at: number) => ticks.find((tick) => tick.at === at)?.text ?? ''}
            interval="equidistantPreserveStart"
            minTickGap={8}
            tick={TICK}
            stroke="var(--border)"
          />
          <YAxis
            width={44}
            domain={[0, scale.at(-1) ?? 1]}
            ticks={[...scale]}
            interval={0}
            tickFormatter={(value: number) => `${value}%`}
            tick={TICK}
            stroke="var(--border)"
          />
          {first !== undefined && (
            <ReferenceArea
              x1={first.at}
              x2={gone.at(-1)?.at ?? first.at}
              fill={`url(#${id}-gone)`}
              fillOpacity={0.5}
              ifOverflow="hidden"
            />
          )}
          <Tooltip
            isAnimationActive={false}
            content={({ active, activeIndex }) => {
              const point = points[Number(activeIndex)]
              if (!active || point === undefined) return null
              const text = rateText(point.part, point.whole, noun)
              const title = `${bucketText(point.at, stepMs, zone)}${point.isFilling ? ', so far' : ''}`
              const line = { label: word, value: point.part, text, fill: 'var(--series-1)' }
              return <TooltipBox title={title} lines={[line]} />
            }}
          />
          {before !== null && (
            <ReferenceLine
              y={before.percent}
              stroke="var(--neutral-mark)"
              strokeDasharray="2 2"
              label={{
                ...TICK,
                value: `${percentText(before.percent)} ${before.label}`,
                position: 'right',
                width: 72,
              }}
            />
          )}
          <Line
            dataKey="rate"
            stroke="var(--series-1)"
            strokeWidth={2}
            dot={false}
            isAnimationActive={false}
          />
          <Line
            dataKey="alone"
            stroke="none"
            dot={{ r: 3, fill: 'var(--series-1)', stroke: 'none' }}
            isAnimationActive={false}
          />
          <Line
            dataKey="open"
            stroke="var(--series-1)"
            strokeWidth={2}
            strokeDasharray="2 3"
            dot={false}
            isAnimationActive={false}
          />
          {last !== undefined && lastPercent !== null && (
            <ReferenceDot
              x={last.at}
              y={lastPercent}
              r={3.5}
              fill="var(--surface)"
              stroke="var(--series-1)"
              strokeWidth={2}
              label={{
                fontSize: 11,
                fontWeight: 500,
                fill: 'var(--text)',
                value: percentText(lastPercent),
                // Above it is the label of a release.
                position: 'right',
                offset: 8,
              }}
            />
          )}
          {marks.map(({ at, label: released }) => (
            <ReferenceLine
              key={at}
              x={at}
              stroke="var(--text-2)"
              strokeDasharray="4 3"
              label={{ ...TICK, value: released, position: 'top' }}
            />
          ))}
        </LineChart>
      </ResponsiveContainer>
    </div>
  )
}
