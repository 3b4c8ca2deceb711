'use client'

import { countText } from '@signalbox/core/analysis'
import { useId } from 'react'
import {
  Bar,
  BarChart,
  CartesianGrid,
  LabelList,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts'
import { barShape, HatchDefs } from '@/components/kit/chart/bar-shape.tsx'
import { TooltipBox } from '@/components/kit/chart/chart-tooltip.tsx'
import { rateText } from '@/components/kit/chart/chart-words.ts'
import { BASE, MAIN } from '@/components/kit/chart/series-look.ts'
import type { Advice, AdviceCount } from './advice.ts'

const TICK = { fontSize: 11, fill: 'var(--text-2)' }
const NUMBER = { fontSize: 11, fill: 'var(--text)' }

const numberText = (count: unknown): string => countText(Number(count))

export interface AdviceChartProps {
  readonly advice: readonly Advice[]
  readonly buildHref: (one: Advice, count: AdviceCount) => string
  readonly onPick: (href: string) => void
}

export function AdviceChart({ advice, buildHref, onPick }: AdviceChartProps) {
  const pick = (count: AdviceCount) => (_: unknown, index: number) => {
    const one = advice[index]
    if (one !== undefined && one[count] > 0) onPick(buildHref(one, count))
  }
  const id = useId().replaceAll(':', '')
  return (
    <ResponsiveContainer width="100%" height={220}>
      <BarChart data={[...advice]} margin={{ top: 22, right: 12, bottom: 0, left: 0 }} barGap={2}>
        <HatchDefs id={id} />
        <CartesianGrid vertical={false} stroke="var(--border)" />
        <XAxis
          dataKey="provider"
          interval="preserveStart"
          minTickGap={2}
          tick={TICK}
          stroke="var(--border)"
        />
        <YAxis
          allowDecimals={false}
          interval={0}
          width={56}
          domain={[0, 'auto']}
          tickFormatter={countText}
          tick={TICK}
          stroke="var(--border)"
          label={{ ...TICK, value: 'deliveries', angle: -90, position: 'insideLeft' }}
        />
        <Tooltip
          cursor={{ fill: 'var(--row-hover)' }}
          isAnimationActive={false}
          content={({ active, activeIndex }) => {
            const one = advice[Number(activeIndex)]
            if (!active || one === undefined) return null
            const { provider, delivered, followed, act } = one
            const lines = [
              { label: 'delivered', value: delivered, text: countText(delivered), fill: BASE.fill },
              {
                label: 'followed',
                value: followed,
                text: countText(followed),
                fill: MAIN.fill,
              },
            ]
            const foot = `${rateText(followed, delivered, 'delivery')}: ${act}`
            return <TooltipBox title={provider} lines={lines} foot={foot} />
          }}
        />
        <Bar
          dataKey="delivered"
          name="delivered"
          fill={BASE.fill}
          maxBarSize={56}
          shape={barShape(id, () => BASE)}
          className="cursor-pointer"
          onClick={pick('delivered')}
          isAnimationActive={false}
        >
          <LabelList dataKey="delivered" position="top" formatter={numberText} style={NUMBER} />
        </Bar>
        <Bar
          dataKey="followed"
          name="followed by the action"
          fill={MAIN.fill}
          maxBarSize={56}
          shape={barShape(id, () => MAIN)}
          className="cursor-pointer"
          onClick={pick('followed')}
          isAnimationActive={false}
        >
          <LabelList dataKey="followed" position="top" formatter={numberText} style={NUMBER} />
        </Bar>
      </BarChart>
    </ResponsiveContainer>
  )
}
