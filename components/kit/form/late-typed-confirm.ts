import { lateDialog } from '@/components/ui/late-popup.tsx'

export const TypedConfirm = lateDialog(() =>
  import('./typed-confirm.tsx').then((module) => module.TypedConfirm),
)
