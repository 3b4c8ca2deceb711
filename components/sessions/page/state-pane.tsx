// Loads the state pane. Core and the views come with it, so it is a separate chunk, loaded after first paint.
'use client'

import { latePart } from '@/components/ui/late-part.tsx'
import { SkeletonRows } from '@/components/ui/states.tsx'

export const StatePane = latePart(
  () => import('./state/late-state.ts').then(({ LATE_STATE }) => LATE_STATE.StatePane),
  <SkeletonRows />,
)
