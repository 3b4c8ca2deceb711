import { lazyDialog } from '@/components/ui/lazy-popup.tsx'

export const ConnectDrawer = lazyDialog(() =>
  import('./connect-drawer.tsx').then((module) => module.ConnectDrawer),
)
