import { lazySection } from '@/components/ui/lazy-section.tsx'

export const LabelControl = lazySection(
  () => import('./label-control.tsx').then((module) => module.LabelControl),
  null,
)
