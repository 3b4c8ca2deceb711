// What began since a list was read waits here, over a list that scrolls by itself, so that nothing moves while it is read.
'use client'

import { FreshRows, type FreshRowsProps } from './fresh-rows.tsx'

export function FreshBar(news: FreshRowsProps) {
  const isShown = news.fresh > 0
  return (
    <div className={isShown ? 'shrink-0 border-border border-b bg-surface px-4 py-1.5' : 'sr-only'}>
      <FreshRows {...news} />
    </div>
  )
}
