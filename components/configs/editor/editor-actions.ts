import type { PageAction } from '@/components/shell/page-actions.ts'
import type { TabName } from './tab-bar.tsx'

export function editorActions(editor: {
  readonly tab: TabName
  /** Reason why editing is disabled; null: it is enabled. */
  readonly why: string | null
  readonly hasTarget: boolean
  /** Reason why no backtest can run; null: one can. */
  readonly hindrance: string | null
  readonly runBacktest: () => void
  readonly review: () => void
  readonly showDiff: () => void
  readonly save: () => void
}): readonly PageAction[] {
  const { tab, why, hasTarget, hindrance, runBacktest, review, showDiff, save } = editor
  const readOnly = why ?? undefined
  const noTarget = hasTarget ? undefined : 'There is no environment to publish to.'
  return [
    { name: 'Run backtest', run: runBacktest, refusal: hindrance ?? undefined },
    { name: 'Review and publish…', run: review, refusal: readOnly ?? noTarget },
    { name: tab === 'diff' ? 'Close the diff' : 'Diff against what is live', run: showDiff },
    { name: 'Save now', run: save, refusal: readOnly },
  ]
}
