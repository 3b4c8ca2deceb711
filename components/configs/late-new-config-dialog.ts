import { lateDialog } from '@/components/ui/late-popup.tsx'

export const NewConfigDialog = lateDialog(() =>
  import('./new-config-dialog.tsx').then((module) => module.NewConfigDialog),
)
