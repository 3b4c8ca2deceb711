'use client'

import { countText } from '@signalbox/core/analysis'
import { useId, useRef, useState } from 'react'
import {
  Bar,
  CartesianGrid,
  ComposedChart,
  ReferenceArea,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts'
import { dayText, useZone } from '@/components/ui/time.tsx'
import { barShape, HatchDefs } from './bar-shape.tsx'
import { TooltipBox } from './chart-tooltip.tsx'
import { bucketText, computeTicks, rangeText, rateText, stepText } from './chart-words.ts'
import { type Mark, mergeMarks } from './marks.ts'
import type { PlotPoint, PlotSeries } from './plot.ts'

const TICK = { fontSize: 11, fill: 'var(--text-3)' }
const LABEL = { fontSize: 11, fill: 'var(--text-2)' }
const HEIGHT = 264
const DAY = 86_400_000

export interface TimeChartProps {
  readonly points: readonly PlotPoint[]
  readonly stepMs: number
  readonly series: readonly PlotSeries[]
  readonly isShare?: boolean
  readonly marks: readonly Mark[]
  /** Records before this time are removed; null: none are. */
  readonly keptSince: number | null
  readonly onPick: (href: string) => void
  /** Sentence that the picture shows. */
  readonly label: string
  /** Name of the counted objects: "Denied calls". */
  readonly counted: string
  /** Address of the list behind a whole bucket; absent: none. */
  readonly buildHref?: ((range: string) => string) | undefined
}

interface Drawn {
  readonly at: number
  readonly isFilling: boolean
  readonly index: number
  readonly [key: string]: number | boolean
}

function layOutSeries({ points, series, isShare }: TimeChartProps): readonly Drawn[] {
  return points.map(({ at, isFilling, values }, index) => {
    const whole = series.reduce((sum, { key }) => sum + (values[key] ?? 0), 0)
    const bars = series.map(({ key }, place) => {
      const value = values[key] ?? 0
      return [`s${place}`, isShare === true ? (whole === 0 ? 0 : (value / whole) * 100) : value]
    })
    return { at, isFilling, index, ...Object.fromEntries(bars) }
  })
}

/** Every other day, as the first and last of its buckets; none if a bucket is as long as a day. */
function alternateDays(
  points: readonly PlotPoint[],
  stepMs: number,
  zone: string,
): readonly { readonly from: number; readonly until: number }[] {
  if (stepMs >= DAY) return []
  const days = new Map<string, number[]>()
  for (const { at } of points) {
    const day = dayText(at, zone)
    days.set(day, [...(days.get(day) ?? []), at])
  }
  return [...days.values()]
    .filter((_, index) => index % 2 === 1)
    .map((buckets) => ({ from: buckets[0] ?? 0, until: buckets.at(-1) ?? 0 }))
}

export function TimeChart(props: TimeChartProps) {
  const { points, stepMs, series, isShare = false, keptSince, onPick } = props
  const id = useId().replaceAll(':', '')
  const zone = useZone()
  const [isHovered, setHovered] = useState(false)
  // Index of the bucket whose tooltip is shown, which the arrow keys move.
  const active = useRef<number | null>(null)
  const data = layOutSeries(props)
  const marks = mergeMarks(props)
  const ticks = computeTicks(
    points.map(({ at }) => at),
    stepMs,
    zone,
  )
  const gone = points.filter(({ at }) => keptSince !== null && at < keptSince)
  const buildHref = (place: number, index: number): string | undefined => {
    const point = points[index]
    if (point === undefined || (point.values[series[place]?.key ?? ''] ?? 0) === 0) return undefined
    return series[place]?.buildHref?.(rangeText(point.at, point.at + stepMs))
  }
  const describe = (index: number) => {
    const point = points[index]
    if (point === undefined) return null
    const whole = series.reduce((sum, { key }) => sum + (point.values[key] ?? 0), 0)
    const lines = series.map(({ key, label, fill }) => {
      const value = point.values[key] ?? 0
      const text = isShare ? rateText(value, whole, 'stop') : countText(value)
      return { label, value, text, fill }
    })
    const released = marks.find(({ at }) => at === point.at)?.text
    const foot = released === undefined ? '' : `released: ${released}`
    const title = `${bucketText(point.at, stepMs, zone)}${point.isFilling ? ', so far' : ''}`
    return <TooltipBox title={title} lines={lines} foot={foot} />
  }
  const [first] = gone
  const last = gone.at(-1)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only tracks which of the synchronized charts the pointer is over
    <div
      onMouseEnter={() => setHovered(true)}
      onMouseLeave={() => setHovered(false)}
      onFocus={() => setHovered(true)}
      onBlur={() => setHovered(false)}
      onKeyDown={(event) => {
        const point = active.current === null ? undefined : points[active.current]
        if (event.key !== 'Enter' || point === undefined) return
        const href = props.buildHref?.(rangeText(point.at, point.at + stepMs))
        if (href !== undefined) onPick(href)
      }}
    >
      <p aria-hidden className="px-2 text-small text-text-2">
        {isShare ? 'Share' : props.counted} per {stepText(stepMs)}
      </p>
      <ResponsiveContainer width="100%" height={HEIGHT}>
        <ComposedChart
          data={[...data]}
          role="img"
          title={props.label}
          syncId="analytics"
          syncMethod="value"
          margin={{ top: 20, right: 12, bottom: 0, left: 0 }}
          barCategoryGap={points.length > 60 ? 0 : '12%'}
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
            yAxisId="bars"
            allowDecimals={false}
            width={44}
            domain={isShare ? [0, 100] : [0, 'auto']}
            niceTicks="snap125"
            interval={0}
            tickFormatter={(value: number) => (isShare ? `${value}%` : countText(value))}
            tick={TICK}
            stroke="var(--border)"
          />
          {alternateDays(points, stepMs, zone).map(({ from, until }) => (
            <ReferenceArea
              key={from}
              yAxisId="bars"
              x1={from}
              x2={until}
              fill="var(--band)"
              fillOpacity={1}
              ifOverflow="hidden"
            />
          ))}
          {first !== undefined && last !== undefined && (
            <ReferenceArea
              yAxisId="bars"
              x1={first.at}
              x2={last.at}
              fill={`url(#${id}-gone)`}
              fillOpacity={0.5}
              ifOverflow="hidden"
            />
          )}
          <Tooltip
            cursor={{ fill: 'var(--row-hover)', stroke: 'var(--border-strong)' }}
            isAnimationActive={false}
            content={({ active: isActive, activeIndex }) => {
              active.current = isActive ? Number(activeIndex) : null
              return isActive && isHovered ? describe(Number(activeIndex)) : null
            }}
          />
          {series.map((one, place) => (
            <Bar
              key={one.key}
              yAxisId="bars"
              dataKey={`s${place}`}
              name={one.label}
              stackId="all"
              fill={one.fill}
              shape={barShape(id, () => one)}
              isAnimationActive={false}
              {...(one.buildHref === undefined
                ? {}
                : {
                    className: 'cursor-pointer',
                    onClick: (_: unknown, index: number) => {
                      const href = buildHref(place, index)
                      if (href !== undefined) onPick(href)
                    },
                  })}
            />
          ))}
          {marks.map(({ at, label, isLate }) => (
            <ReferenceLine
              key={at}
              yAxisId="bars"
              x={at}
              stroke="var(--text-2)"
              strokeDasharray="4 3"
              label={{
                value: label,
                position: isLate ? 'insideTopRight' : 'top',
                ...(isLate ? { dy: -20 } : {}),
                ...LABEL,
              }}
            />
          ))}
        </ComposedChart>
      </ResponsiveContainer>
    </div>
  )
}
