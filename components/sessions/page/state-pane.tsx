// Loads the state pane. Core and the views come with it, so it is a separate chunk, loaded after first paint.
'use client'

import { lazySection } from '@/components/ui/lazy-section.tsx'
import { SkeletonRows } from '@/components/ui/states.tsx'

export const StatePane = lazySection(
  () => import('./state/lazy-state.ts').then(({ LATE_STATE }) => LATE_STATE.StatePane),
  <SkeletonRows />,
)
