import { lateDialog } from '@/components/ui/late-popup.tsx'

export const AnnotationDialog = lateDialog(() =>
  import('./annotation-dialog.tsx').then((module) => module.AnnotationDialog),
)
