'use client'

import { Square } from 'lucide-react'
import { Button } from '@/components/ui/button.tsx'
import { lazySection } from '@/components/ui/lazy-section.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { LiveControlProps } from './live-control.tsx'

/** An ended session, which most opened ones are, needs neither. */
const LiveControl = lazySection<LiveControlProps>(
  () => import('./live-control.tsx').then((module) => module.LiveControl),
  <span className="h-8 w-36" />,
)

export const NewEventsPill = lazySection(
  () => import('./new-events-pill.tsx').then((module) => module.NewEventsPill),
  null,
)

export interface FollowControlProps extends LiveControlProps {
  readonly isRunning: boolean
  readonly endedAt: number | null
}

export function FollowControl(props: FollowControlProps) {
  const { isRunning, endedAt, fresh } = props
  if (!isRunning && fresh === 0) {
    return (
      <span data-follow="ended" className="inline-flex items-center gap-1.5 text-text-3 text-small">
        <Square aria-hidden className="size-3" />
        {endedAt === null ? (
          'No end was recorded'
        ) : (
          <>
            Ended <Timestamp at={endedAt} style="second" />
          </>
        )}
      </span>
    )
  }
  return <LiveControl {...props} />
}

/** Overlays the list, so that nothing below moves. */
export function LoadProblem({
  why,
  onRetry,
}: {
  readonly why: string
  readonly onRetry: () => void
}) {
  return (
    <div
      role="alert"
      className="absolute inset-x-3 bottom-4 flex flex-wrap items-center gap-2 rounded-control border border-warning-bd bg-warning-bg px-3 py-1.5 text-warning-fg"
    >
      <span className="min-w-0 flex-1">New events could not be loaded: {why}</span>
      <Button onClick={onRetry}>Try again</Button>
    </div>
  )
}
