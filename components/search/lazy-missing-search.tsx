'use client'
// The search of the not-found page. Every page loads what an unknown address shows, so the field itself is lazy.
import { lazySection } from '@/components/ui/lazy-section.tsx'

export const MissingSearch = lazySection(
  () => import('./missing-search.tsx').then((module) => module.MissingSearch),
  <div className="h-(--control)" />,
)
