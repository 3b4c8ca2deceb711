import { lazyDialog } from '@/components/ui/lazy-popup.tsx'

export const TypedConfirm = lazyDialog(() =>
  import('./typed-confirm.tsx').then((module) => module.TypedConfirm),
)
