import { lazyDialog } from '@/components/ui/lazy-popup.tsx'

export const NewConfigDialog = lazyDialog(() =>
  import('./new-config-dialog.tsx').then((module) => module.NewConfigDialog),
)
