'use client'
import { plural } from '@signalbox/core/analysis'
// The chart of the last 24 hours: the question as title, a sentence for screen readers, the chart once it is loaded.
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { cn } from '@/components/ui/class-names.ts'
import { lazySection } from '@/components/ui/lazy-section.tsx'
import { Skeleton } from '@/components/ui/states.tsx'
import type { Hour } from './day-chart.tsx'

const DayChart = lazySection(
  () => import('./day-chart.tsx').then((module) => module.DayChart),
  <Skeleton className="m-3 h-[116px]" />,
)

const KEYS = [
  { name: 'calls denied', className: 'bg-deny-mark' },
  { name: 'stops blocked', className: 'bg-blocked-mark' },
] as const

function Legend() {
  return (
    <ul className="flex flex-wrap gap-x-3 text-small text-text-2">
      {KEYS.map(({ name, className }) => (
        <li key={name} className="inline-flex items-center gap-1.5 whitespace-nowrap">
          <span aria-hidden className={cn('size-2.5 rounded-[2px]', className)} />
          {name}
        </li>
      ))}
    </ul>
  )
}

export function Day({ hours }: { readonly hours: readonly Hour[] }) {
  const denied = hours.reduce((sum, hour) => sum + hour.denied, 0)
  const blocked = hours.reduce((sum, hour) => sum + hour.blocked, 0)
  return (
    <Card>
      <CardHeader title="Denied calls and blocked stops" aside="by hour" actions={<Legend />} />
      <p className="sr-only">{`In the last 24 hours ${plural(denied, 'call')} ${denied === 1 ? 'was' : 'were'} denied and ${plural(blocked, 'stop')} ${blocked === 1 ? 'was' : 'were'} blocked.`}</p>
      <DayChart hours={hours} />
    </Card>
  )
}
