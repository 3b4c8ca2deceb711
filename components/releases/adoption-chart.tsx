'use client'

import { plural } from '@signalbox/core/analysis'
import {
  Area,
  AreaChart,
  CartesianGrid,
  Legend,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts'
import { durationText } from '@/components/ui/time.tsx'
import type { AdoptionPoint } from './adoption-points.ts'

const TICK = { fontSize: 11, fill: 'var(--text-3)' }
const TITLE = { fontSize: 11, fill: 'var(--text-2)' } as const

export function AdoptionChart({
  points,
  target,
}: {
  readonly points: readonly AdoptionPoint[]
  readonly target: number
}) {
  return (
    <ResponsiveContainer width="100%" height={190}>
      <AreaChart data={[...points]} margin={{ top: 12, right: 28, bottom: 18, left: 8 }}>
        <CartesianGrid vertical={false} stroke="var(--border)" />
        <XAxis
          dataKey="afterMs"
          type="number"
          domain={[0, 'dataMax']}
          tickFormatter={(ms: number) => (ms === 0 ? '0' : durationText(ms))}
          tick={TICK}
          stroke="var(--border)"
          label={{
            ...TITLE,
            value: 'Time since the release',
            position: 'insideBottom',
            offset: -12,
          }}
        />
        <YAxis
          allowDecimals={false}
          width={44}
          domain={[0, (most: number) => Math.max(1, target, most)]}
          tick={TICK}
          stroke="var(--border)"
          label={{ ...TITLE, value: 'Runtimes', angle: -90, position: 'insideLeft', offset: 4 }}
        />
        <Tooltip
          labelFormatter={(ms) => `${durationText(Number(ms))} after the release`}
          contentStyle={{
            background: 'var(--surface)',
            border: '1px solid var(--border)',
            borderRadius: 8,
          }}
        />
        <Legend verticalAlign="top" align="right" height={20} wrapperStyle={{ fontSize: 11 }} />
        {target > 0 && (
          <ReferenceLine
            y={target}
            stroke="var(--text-3)"
            strokeDasharray="4 3"
            label={{
              ...TITLE,
              value: `${plural(target, 'runtime')} connected now`,
              position: 'insideTopLeft',
            }}
          />
        )}
        <Area
          type="stepAfter"
          dataKey="applied"
          name="Runtimes that applied it"
          stroke="var(--text-2)"
          fill="var(--surface-3)"
          isAnimationActive={false}
        />
      </AreaChart>
    </ResponsiveContainer>
  )
}
