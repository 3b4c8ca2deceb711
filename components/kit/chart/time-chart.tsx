'use client'

import { countText, pluralize } from '@signalbox/core/analysis'
import { useId, useState } from 'react'
import {
  Bar,
  CartesianGrid,
  ComposedChart,
  Line,
  ReferenceArea,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts'
import { useZone } from '@/components/ui/time.tsx'
import { barShape, HatchDefs } from './bar-shape.tsx'
import { TooltipBox } from './chart-tooltip.tsx'
import { bucketText, computeTicks, rangeText, rateText } from './chart-words.ts'
import type { PlotPoint, PlotSeries } from './plot.ts'

const TICK = { fontSize: 11, fill: 'var(--text-3)' }
const LABEL = { fontSize: 11, fill: 'var(--text-2)' }
const HEIGHT = 240

export interface Mark {
  readonly at: number
  readonly label: string
}

export interface RateLine {
  readonly label: string
  readonly noun: string
  readonly parts: readonly number[]
}

export interface TimeChartProps {
  readonly points: readonly PlotPoint[]
  readonly stepMs: number
  readonly series: readonly PlotSeries[]
  readonly isShare?: boolean
  readonly rate?: RateLine
  readonly marks: readonly Mark[]
  /** Records before this time are removed; null: none are. */
  readonly keptSince: number | null
  readonly onPick: (href: string) => void
}

interface Drawn {
  readonly at: number
  readonly isFilling: boolean
  readonly index: number
  readonly [key: string]: number | boolean | null
}

function layOutSeries({ points, series, isShare, rate }: TimeChartProps): readonly Drawn[] {
  const shares = points.map(({ values }, index) => {
    const whole = series.reduce((sum, { key }) => sum + (values[key] ?? 0), 0)
    return rate === undefined || whole === 0 ? null : ((rate.parts[index] ?? 0) / whole) * 100
  })
  return points.map(({ at, isFilling, values }, index) => {
    const whole = series.reduce((sum, { key }) => sum + (values[key] ?? 0), 0)
    const bars = series.map(({ key }, place) => {
      const value = values[key] ?? 0
      return [`s${place}`, isShare === true ? (whole === 0 ? 0 : (value / whole) * 100) : value]
    })
    return {
      at,
      isFilling,
      index,
      ...Object.fromEntries(bars),
      // Left out: the few calls so far would bend the line.
      rate: isFilling ? null : (shares[index] ?? null),
    }
  })
}

interface DrawnMark {
  readonly at: number
  readonly text: string
  readonly label: string
  /** Near the right edge, where a centered label would be cut off. */
  readonly isLate: boolean
}

/** Approximate share of the width that a label needs. */
const ROOM = 0.12

function mergeMarks({ marks, points, stepMs }: TimeChartProps): readonly DrawnMark[] {
  const byBucket = new Map<number, string[]>()
  for (const { at, label } of marks) {
    const bucket = points.findIndex((point) => point.at <= at && at < point.at + stepMs)
    if (bucket >= 0) byBucket.set(bucket, [label, ...(byBucket.get(bucket) ?? [])])
  }
  let labeled = Number.NEGATIVE_INFINITY
  return [...byBucket]
    .sort(([a], [b]) => a - b)
    .map(([bucket, labels]) => {
      const hasRoom = bucket - labeled >= points.length * ROOM
      if (hasRoom) labeled = bucket
      const text = labels.join(', ')
      const label = labels.length > 2 ? `${labels.length} releases` : text
      const isLate = bucket > points.length * 0.85
      return { at: points[bucket]?.at ?? 0, text, label: hasRoom ? label : '', isLate }
    })
}

export function TimeChart(props: TimeChartProps) {
  const { points, stepMs, series, isShare = false, rate, keptSince, onPick } = props
  const id = useId().replaceAll(':', '')
  const zone = useZone()
  const [isHovered, setHovered] = useState(false)
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
    const foot = [
      ...(rate === undefined
        ? []
        : [`${rate.label}: ${rateText(rate.parts[index] ?? 0, whole, rate.noun)}`]),
      ...(released === undefined ? [] : [`released: ${released}`]),
    ].join('; ')
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
    >
      <ResponsiveContainer width="100%" height={HEIGHT}>
        <ComposedChart
          data={[...data]}
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
            orientation={rate === undefined ? 'left' : 'right'}
            allowDecimals={false}
            width={rate === undefined ? 44 : 56}
            domain={isShare ? [0, 100] : [0, 'auto']}
            interval={0}
            tickFormatter={(value: number) => (isShare ? `${value}%` : countText(value))}
            tick={TICK}
            stroke="var(--border)"
            {...(rate === undefined
              ? {}
              : {
                  label: {
                    value: pluralize(rate.noun),
                    position: 'insideTopRight',
                    dy: -18,
                    ...LABEL,
                  },
                })}
          />
          {rate !== undefined && (
            <YAxis
              yAxisId="rate"
              width={48}
              domain={[0, 'auto']}
              interval={0}
              tickFormatter={(value: number) => `${Math.round(value * 10) / 10}%`}
              tick={TICK}
              stroke="var(--border)"
              label={{ value: rate.label, position: 'insideTopLeft', dy: -18, ...LABEL }}
            />
          )}
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
            content={({ active, activeIndex }) =>
              active && isHovered ? describe(Number(activeIndex)) : null
            }
          />
          {series.map((one, place) => (
            <Bar
              key={one.key}
              yAxisId="bars"
              dataKey={`s${place}`}
              name={one.label}
              stackId="all"
              fill={one.fill}
              shape={barShape(id, one)}
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
          {rate !== undefined && (
            <Line
              yAxisId="rate"
              dataKey="rate"
              name={rate.label}
              type="linear"
              stroke="var(--deny-mark)"
              strokeWidth={2}
              dot={{ r: 2, fill: 'var(--deny-mark)', strokeWidth: 0 }}
              isAnimationActive={false}
            />
          )}
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
