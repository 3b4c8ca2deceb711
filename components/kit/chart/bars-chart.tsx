'use client'

import { countText, plural, pluralize, shareText } from '@signalbox/core/analysis'
import { useId } from 'react'
import {
  Bar,
  BarChart,
  CartesianGrid,
  LabelList,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts'
import { barShape, HatchDefs } from './bar-shape.tsx'
import { TooltipBox } from './chart-tooltip.tsx'
import type { Bar as PlotBar } from './plot.ts'
import { MAIN } from './series-look.ts'

const TICK = { fontSize: 11, fill: 'var(--text-2)' }

export interface BarsChartProps {
  readonly bars: readonly PlotBar[]
  readonly isLying: boolean
  readonly noun: string
  readonly total: number
  readonly mark?: { readonly key: string; readonly label: string }
  readonly onPick: (href: string) => void
}

const short = (label: string): string => (label.length > 60 ? `${label.slice(0, 59)}…` : label)

export function BarsChart(props: BarsChartProps) {
  const { bars, isLying, noun, total, mark, onPick } = props
  const id = useId().replaceAll(':', '')
  const data = bars.map((bar) => ({ ...bar }))
  const most = Math.max(1, ...bars.map(({ count }) => count))
  const marked = bars.find(({ key }) => key === mark?.key)?.label
  const names = (
    <XAxis
      dataKey="label"
      interval="preserveStart"
      minTickGap={2}
      tick={TICK}
      stroke="var(--border)"
      tickFormatter={short}
    />
  )
  const width = Math.min(220, 24 + Math.max(...bars.map(({ label }) => short(label).length)) * 6.2)
  return (
    <ResponsiveContainer width="100%" height={isLying ? 24 + bars.length * 28 : 200}>
      <BarChart
        data={data}
        layout={isLying ? 'vertical' : 'horizontal'}
        margin={{ top: isLying ? 4 : 22, right: isLying ? 56 : 12, bottom: 0, left: 4 }}
        barCategoryGap={isLying ? 6 : '16%'}
      >
        <HatchDefs id={id} />
        <CartesianGrid horizontal={!isLying} vertical={false} stroke="var(--border)" />
        {isLying ? <XAxis type="number" domain={[0, most]} hide /> : names}
        {isLying ? (
          <YAxis
            type="category"
            dataKey="label"
            width={width}
            interval={0}
            tick={TICK}
            stroke="var(--border)"
            tickFormatter={short}
          />
        ) : (
          <YAxis
            allowDecimals={false}
            interval={0}
            width={44}
            domain={[0, 'auto']}
            niceTicks="snap125"
            tickFormatter={countText}
            tick={TICK}
            stroke="var(--border)"
          />
        )}
        <Tooltip
          cursor={{ fill: 'var(--row-hover)' }}
          isAnimationActive={false}
          content={({ active, activeIndex }) => {
            const bar = bars[Number(activeIndex)]
            if (!active || bar === undefined) return null
            const { label, count, look = MAIN } = bar
            const text = plural(count, noun)
            const foot = `${shareText(count, total)} of ${countText(total)}`
            return (
              <TooltipBox
                title={label}
                lines={[{ label: pluralize(noun), value: count, text, fill: look.fill }]}
                foot={foot}
              />
            )
          }}
        />
        <Bar
          dataKey="count"
          name={pluralize(noun)}
          fill={MAIN.fill}
          shape={barShape(id, (at) => bars[at]?.look ?? MAIN)}
          isAnimationActive={false}
          {...(bars.some(({ href }) => href !== undefined)
            ? {
                className: 'cursor-pointer',
                onClick: (_: unknown, index: number) => {
                  const href = bars[index]?.href
                  if (href !== undefined) onPick(href)
                },
              }
            : {})}
        >
          <LabelList
            dataKey="count"
            position={isLying ? 'right' : 'top'}
            formatter={(count: unknown) => countText(Number(count))}
            style={{ fontSize: 11, fill: 'var(--text)' }}
          />
        </Bar>
        {marked !== undefined && (
          <ReferenceLine
            x={marked}
            position="start"
            stroke="var(--text-2)"
            strokeDasharray="4 3"
            label={{
              value: mark?.label ?? '',
              position: 'top',
              fontSize: 11,
              fill: 'var(--text-2)',
            }}
          />
        )}
      </BarChart>
    </ResponsiveContainer>
  )
}
