'use client'

import { countText } from '@signalbox/core/analysis'
import { PAGE_TABS, type PageTab } from './use-session-view.ts'

const WORDS = {
  timeline: 'Timeline',
  decisions: 'Decisions',
  feedback: 'Feedback',
  plan: 'Plan history',
  files: 'Files',
  annotations: 'Annotations',
  raw: 'Raw',
} as const satisfies Record<PageTab, string>

export function PageTabs({
  tab,
  counts,
  onTab,
}: {
  readonly tab: PageTab
  readonly counts: Partial<Record<PageTab, number>>
  readonly onTab: (tab: PageTab) => void
}) {
  return (
    <nav
      aria-label="Views of the session"
      className="flex shrink-0 gap-1 overflow-x-auto border-border border-b bg-surface px-2"
    >
      {PAGE_TABS.map((name) => {
        const count = counts[name]
        return (
          <button
            key={name}
            type="button"
            aria-current={name === tab ? 'page' : undefined}
            onClick={() => onTab(name)}
            className="-mb-px h-8 whitespace-nowrap border-transparent border-b-2 px-2 text-text-2 hover:text-text aria-[current=page]:border-text aria-[current=page]:font-medium aria-[current=page]:text-text pointer-coarse:h-11"
          >
            {WORDS[name]}
            {count === undefined ? null : (
              <span className="text-small text-text-3 tabular-nums"> {countText(count)}</span>
            )}
          </button>
        )
      })}
    </nav>
  )
}
