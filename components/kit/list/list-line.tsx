// The line over a list that scrolls with its page: how many rows are shown, and what is new. It has its height whether or not something
// is new, so that no row moves, and stays in view.
import { countText, pluralOf } from '@signalbox/core/analysis'
import { FreshRows, type FreshRowsProps } from './fresh-rows.tsx'

interface ListLineProps extends FreshRowsProps {
  readonly shown: number
  readonly hasMore: boolean
}

export function ListLine({ shown, hasMore, ...news }: ListLineProps) {
  return (
    <div className="sticky top-0 z-10 flex min-h-[calc(var(--control)+0.75rem+1px)] flex-wrap items-center gap-x-3 gap-y-1 border-border border-b bg-surface px-4 py-1.5 text-small text-text-2 pointer-coarse:min-h-[calc(3.5rem+1px)]">
      <p role="status">
        {countText(shown)}
        {hasMore ? '+' : ''} {shown === 1 && !hasMore ? news.noun : pluralOf(news.noun)}
      </p>
      <FreshRows {...news} />
    </div>
  )
}
