import { lazyDialog } from '@/components/ui/lazy-popup.tsx'

export const RuleDialog = lazyDialog(() =>
  import('./rule-dialog.tsx').then((module) => module.RuleDialog),
)
