import { lateDialog } from '@/components/ui/late-popup.tsx'

export const MoveDialog = lateDialog(() =>
  import('./move-dialog.tsx').then((module) => module.MoveDialog),
)
