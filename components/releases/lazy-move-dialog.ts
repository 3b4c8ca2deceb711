import { lazyDialog } from '@/components/ui/lazy-popup.tsx'

export const MoveDialog = lazyDialog(() =>
  import('./move-dialog.tsx').then((module) => module.MoveDialog),
)
