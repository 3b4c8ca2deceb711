import { lazySection } from '@/components/ui/lazy-section.tsx'
import { SkeletonRows } from '@/components/ui/states.tsx'

export const UnmetClaims = lazySection(
  () => import('./unmet-claims.tsx').then((module) => module.UnmetClaims),
  <SkeletonRows />,
)
