import { lazySection } from '@/components/ui/lazy-section.tsx'

export const SetLabel = lazySection(
  () => import('./set-label.tsx').then((module) => module.SetLabel),
  null,
)
