'use client'
// How fast was a release adopted? Runtimes that applied it over time, with the number that should. Loaded only where shown.
import {
  Area,
  AreaChart,
  CartesianGrid,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts'
import { durationText } from '../ui/time.tsx'
import type { AdoptionPoint } from './adoption-points.ts'

const TICK = { fontSize: 11, fill: 'var(--text-3)' }

export function AdoptionChart({
  points,
  target,
}: {
  readonly points: readonly AdoptionPoint[]
  readonly target: number
}) {
  return (
    <ResponsiveContainer width="100%" height={160}>
      <AreaChart data={[...points]} margin={{ top: 12, right: 28, bottom: 0, left: 0 }}>
        <CartesianGrid vertical={false} stroke="var(--border)" />
        <XAxis
          dataKey="afterMs"
          type="number"
          domain={[0, 'dataMax']}
          tickFormatter={(ms: number) => (ms === 0 ? '0' : durationText(ms))}
          tick={TICK}
          stroke="var(--border)"
        />
        <YAxis
          allowDecimals={false}
          width={36}
          domain={[0, Math.max(1, target)]}
          tick={TICK}
          stroke="var(--border)"
        />
        <Tooltip
          labelFormatter={(ms) => `${durationText(Number(ms))} after the release`}
          contentStyle={{
            background: 'var(--surface)',
            border: '1px solid var(--border)',
            borderRadius: 8,
          }}
        />
        {target > 0 && (
          <ReferenceLine
            y={target}
            stroke="var(--text-3)"
            strokeDasharray="4 3"
            label={{
              value: `${target} connected`,
              position: 'insideTopLeft',
              fill: 'var(--text-2)',
              fontSize: 11,
            }}
          />
        )}
        <Area
          type="stepAfter"
          dataKey="applied"
          name="runtimes applied"
          stroke="var(--text-2)"
          fill="var(--surface-3)"
          isAnimationActive={false}
        />
      </AreaChart>
    </ResponsiveContainer>
  )
}
