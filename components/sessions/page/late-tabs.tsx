// The tabs of a session that most readers do not open, each fetched when it is opened.
'use client'

import { latePart } from '@/components/ui/late-part.tsx'
import { SkeletonRows } from '@/components/ui/states.tsx'

export const PlanTab = latePart(
  () => import('./plan-tab.tsx').then((module) => module.PlanTab),
  <SkeletonRows />,
)

export const FilesTab = latePart(
  () => import('./files-tab.tsx').then((module) => module.FilesTab),
  <SkeletonRows />,
)

export const RawList = latePart(
  () => import('./raw-list.tsx').then((module) => module.RawList),
  <SkeletonRows />,
)
