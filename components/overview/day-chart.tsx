'use client'
import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import { clockText, useZone } from '@/components/ui/time.tsx'

export interface Hour {
  /** Start of the hour, epoch ms. */
  readonly hour: number
  readonly denied: number
  readonly blocked: number
}

const TICK = { fontSize: 11, fill: 'var(--text-3)' }

function hourText(hour: number, zone: string): string {
  return clockText(hour, zone).slice(0, 5)
}

export function DayChart({ hours }: { readonly hours: readonly Hour[] }) {
  const zone = useZone()
  return (
    <ResponsiveContainer width="100%" height={140}>
      <BarChart data={[...hours]} margin={{ top: 8, right: 12, bottom: 0, left: 0 }}>
        <defs>
          <pattern id="hatched" width="4" height="4" patternUnits="userSpaceOnUse">
            <rect width="4" height="4" fill="var(--blocked-mark)" />
            <path d="M0 4L4 0" stroke="var(--surface)" strokeWidth="1" style={{ fill: 'none' }} />
          </pattern>
        </defs>
        <CartesianGrid vertical={false} stroke="var(--border)" />
        <XAxis
          dataKey="hour"
          tickFormatter={(hour: number) => hourText(hour, zone)}
          interval="equidistantPreserveStart"
          tick={TICK}
          stroke="var(--border)"
        />
        <YAxis allowDecimals={false} interval={0} width={32} tick={TICK} stroke="var(--border)" />
        <Tooltip
          cursor={{ fill: 'var(--row-hover)' }}
          labelFormatter={(hour) => `${hourText(Number(hour), zone)} ${zone}`}
          contentStyle={{
            background: 'var(--surface)',
            border: '1px solid var(--border)',
            borderRadius: 8,
          }}
        />
        <Bar
          dataKey="denied"
          name="calls denied"
          stackId="day"
          fill="var(--deny-mark)"
          isAnimationActive={false}
        />
        <Bar
          dataKey="blocked"
          name="stops blocked"
          stackId="day"
          fill="var(--blocked-mark)"
          className="hatched"
          isAnimationActive={false}
        />
      </BarChart>
    </ResponsiveContainer>
  )
}
