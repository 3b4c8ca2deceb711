'use client'
import { lazySection } from '@/components/ui/lazy-section.tsx'
import { Skeleton } from '@/components/ui/states.tsx'
import type { TextChangesProps } from './text-changes.tsx'

export const LazyTextChanges = lazySection<TextChangesProps>(
  () => import('./text-changes.tsx').then((module) => module.TextChanges),
  <Skeleton className="w-3/5" />,
)
