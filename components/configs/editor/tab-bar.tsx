'use client'
import { clsx } from 'clsx'

export const TABS = ['form', 'json', 'diff', 'backtest', 'ask'] as const
export type TabName = (typeof TABS)[number]

export function TabBar({
  tab,
  onTab,
  changes,
}: {
  readonly tab: TabName
  readonly onTab: (tab: TabName) => void
  /** Number of changes against the compared environment; null: the draft is not valid. */
  readonly changes: number | null
}) {
  const button = (name: TabName, label: string, className = '') => (
    <button
      type="button"
      aria-pressed={tab === name}
      onClick={() => onTab(name)}
      className={clsx(
        '-mb-px h-9 border-transparent border-b-2 px-2 text-text-2 hover:text-text aria-pressed:border-text aria-pressed:font-medium aria-pressed:text-text',
        className,
      )}
    >
      {label}
    </button>
  )
  const isWideForm = tab === 'json'
  return (
    <div
      role="toolbar"
      aria-label="View"
      className="flex shrink-0 gap-1 border-border border-b bg-surface px-2"
    >
      {button('form', 'Form', 'lg:hidden')}
      {button('json', 'JSON', 'lg:hidden')}
      <button
        type="button"
        aria-pressed={tab === 'form' || isWideForm}
        onClick={() => onTab('form')}
        className="-mb-px hidden h-9 border-transparent border-b-2 px-2 text-text-2 hover:text-text aria-pressed:border-text aria-pressed:font-medium aria-pressed:text-text lg:block"
      >
        Form + JSON
      </button>
      {button('diff', changes === null ? 'Diff' : `Diff ${changes}`)}
      {button('backtest', 'Backtest')}
      {button('ask', 'Ask')}
    </div>
  )
}
