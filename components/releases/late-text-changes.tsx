'use client'
// The difference of two config texts in words, behind the first paint.
import { latePart } from '@/components/ui/late-part.tsx'
import { Skeleton } from '@/components/ui/states.tsx'
import type { TextChangesProps } from './text-changes.tsx'

export const LateTextChanges = latePart<TextChangesProps>(
  () => import('./text-changes.tsx').then((module) => module.TextChanges),
  <Skeleton className="w-3/5" />,
)
