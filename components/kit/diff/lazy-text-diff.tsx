'use client'
import { lazySection } from '@/components/ui/lazy-section.tsx'
import { Skeleton } from '@/components/ui/states.tsx'
import type { TextDiffProps } from './text-diff.tsx'

export const LazyTextDiff = lazySection<TextDiffProps>(
  () => import('./text-diff.tsx').then((module) => module.TextDiff),
  <Skeleton className="h-40" />,
)
