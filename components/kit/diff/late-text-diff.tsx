'use client'
// Two texts compared line by line, behind the first paint: the comparison is a program of its own.
import { latePart } from '@/components/ui/late-part.tsx'
import { Skeleton } from '@/components/ui/states.tsx'
import type { TextDiffProps } from './text-diff.tsx'

export const LateTextDiff = latePart<TextDiffProps>(
  () => import('./text-diff.tsx').then((module) => module.TextDiff),
  <Skeleton className="h-40" />,
)
