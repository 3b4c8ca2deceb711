// Pane of the selected event. Its words come from core, so it is a separate chunk, loaded after first paint.
'use client'

import { latePart } from '@/components/ui/late-part.tsx'
import { SkeletonRows } from '@/components/ui/states.tsx'

export const EventPane = latePart(
  () => import('./event/event-pane.tsx').then((module) => module.EventPane),
  <SkeletonRows />,
)
