import { lateDialog } from '@/components/ui/late-popup.tsx'

export const RuleDialog = lateDialog(() =>
  import('./rule-dialog.tsx').then((module) => module.RuleDialog),
)
