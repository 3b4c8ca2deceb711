import { lazySection } from '@/components/ui/lazy-section.tsx'

const load = () => import('./label-control.tsx')

export const LabelControl = lazySection(() => load().then((module) => module.LabelControl), null)

export const PageLabel = lazySection(() => load().then((module) => module.PageLabel), null)
