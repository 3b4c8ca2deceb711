'use client'

import { countText } from '@signalbox/core/analysis'
import {
  Area,
  AreaChart,
  CartesianGrid,
  ReferenceDot,
  ReferenceLine,
  ResponsiveContainer,
  XAxis,
  YAxis,
} from 'recharts'
import { durationText } from '@/components/ui/time.tsx'
import { type AdoptionPoint, describeTarget, type TimeScale } from './adoption-points.ts'

const TICK = { fontSize: 11, fill: 'var(--text-2)' }
const HEIGHT = 230
/** Approximate height of the plot, px. */
const PLOT = 176
/** Distance at which two labels beside the plot do not overlap, px. */
const LABEL_GAP = 14

export interface AdoptionMark {
  readonly name: string
  /** Milliseconds after the release. */
  readonly afterMs: number
}

interface AdoptionChartProps {
  readonly version: number
  readonly points: readonly AdoptionPoint[]
  readonly scale: TimeScale
  /** Connected runtimes that host the prompt; null: the release was replaced. */
  readonly target: number | null
  readonly rejections: readonly AdoptionMark[]
}

function countAt(points: readonly AdoptionPoint[], ms: number): number {
  return points.findLast(({ afterMs }) => afterMs <= ms)?.applied ?? 0
}

export function AdoptionChart(props: AdoptionChartProps) {
  const { version, points, scale, target, rejections } = props
  const applied = points.at(-1)?.applied ?? 0
  const most = Math.max(1, target ?? 0, applied)
  const data = points.map(({ afterMs, applied: count }) => ({
    after: afterMs / scale.unitMs,
    applied: count,
  }))
  const isMet = target === applied
  const gap = target === null ? PLOT : ((target - applied) / most) * PLOT
  const [first] = rejections
  return (
    <ResponsiveContainer width="100%" height={HEIGHT}>
      <AreaChart
        data={data}
        accessibilityLayer={false}
        margin={{ top: 14, right: 92, bottom: 18, left: 0 }}
      >
        <CartesianGrid vertical={false} stroke="var(--border)" />
        <XAxis
          dataKey="after"
          type="number"
          domain={[0, scale.endMs / scale.unitMs]}
          ticks={[...scale.ticks]}
          tick={TICK}
          stroke="var(--border)"
          label={{
            ...TICK,
            value: `${scale.word} after the release`,
            position: 'insideBottom',
            offset: -12,
          }}
        />
        <YAxis
          allowDecimals={false}
          width={34}
          domain={[0, most]}
          tickCount={Math.min(most, 5) + 1}
          tick={TICK}
          stroke="var(--border)"
        />
        <Area
          type="stepAfter"
          dataKey="applied"
          stroke="var(--series-1)"
          strokeWidth={2}
          fill="var(--series-1)"
          fillOpacity={0.14}
          isAnimationActive={false}
        />
        {target !== null && (
          <ReferenceLine
            y={target}
            stroke="var(--text-2)"
            strokeDasharray="4 3"
            label={{
              ...TICK,
              value: describeTarget(target, isMet),
              position: 'right',
            }}
          />
        )}
        {!isMet && (
          <ReferenceLine
            y={applied}
            stroke="none"
            label={{
              fontSize: 11,
              fontWeight: 500,
              fill: 'var(--series-1)',
              value: `${countText(applied)} applied`,
              position: 'right',
              dy: gap < LABEL_GAP ? LABEL_GAP - gap : 0,
            }}
          />
        )}
        {rejections.map(({ name, afterMs }) => (
          <ReferenceLine
            key={`${name} ${afterMs}`}
            x={afterMs / scale.unitMs}
            stroke="var(--warning-mark)"
            strokeDasharray="2 2"
          />
        ))}
        {rejections.map(({ name, afterMs }) => (
          <ReferenceDot
            key={`${name} ${afterMs}`}
            x={afterMs / scale.unitMs}
            y={countAt(points, afterMs)}
            r={3.5}
            fill="var(--surface)"
            stroke="var(--warning-mark)"
            strokeWidth={2}
            {...(name === first?.name
              ? {
                  label: {
                    fontSize: 11,
                    fill: 'var(--warning-fg)',
                    value: `${name} rejected v${version} after ${durationText(afterMs)}${rejections.length > 1 ? `, ${rejections.length - 1} more` : ''}`,
                    position: afterMs > scale.endMs / 2 ? ('left' as const) : ('right' as const),
                    dy: 18,
                  },
                }
              : {})}
          />
        ))}
      </AreaChart>
    </ResponsiveContainer>
  )
}
