// Where the selected event is told. Its words are core's, so it is a chunk of its own that the page loads behind its first paint.
'use client'

import { latePart } from '@/components/ui/late-part.tsx'
import { SkeletonRows } from '@/components/ui/states.tsx'

export const EventPane = latePart(
  () => import('./event/event-pane.tsx').then((module) => module.EventPane),
  <SkeletonRows />,
)
