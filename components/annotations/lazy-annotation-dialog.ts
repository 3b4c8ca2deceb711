import { lazyDialog } from '@/components/ui/lazy-popup.tsx'

export const AnnotationDialog = lazyDialog(() =>
  import('./annotation-dialog.tsx').then((module) => module.AnnotationDialog),
)
