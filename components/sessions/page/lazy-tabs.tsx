'use client'

import { lazySection } from '@/components/ui/lazy-section.tsx'
import { SkeletonRows } from '@/components/ui/states.tsx'

export const PlanTab = lazySection(
  () => import('./plan-tab.tsx').then((module) => module.PlanTab),
  <SkeletonRows />,
)

export const FilesTab = lazySection(
  () => import('./files-tab.tsx').then((module) => module.FilesTab),
  <SkeletonRows />,
)

export const RawList = lazySection(
  () => import('./raw-list.tsx').then((module) => module.RawList),
  <SkeletonRows />,
)

export const AnnotationsTab = lazySection(
  () =>
    import('@/components/annotations/annotations-tab.tsx').then((module) => module.AnnotationsTab),
  <SkeletonRows />,
)
