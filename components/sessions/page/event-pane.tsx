// Pane of the selected event. Its words come from core, so it is a separate chunk, loaded after first paint.
'use client'

import { lazySection } from '@/components/ui/lazy-section.tsx'
import { SkeletonRows } from '@/components/ui/states.tsx'

export const EventPane = lazySection(
  () => import('./event/event-pane.tsx').then((module) => module.EventPane),
  <SkeletonRows />,
)
