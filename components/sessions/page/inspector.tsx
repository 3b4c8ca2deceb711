'use client'

import type { ReactNode } from 'react'
import { lazySection } from '@/components/ui/lazy-section.tsx'
import { SkeletonRows } from '@/components/ui/states.tsx'
import { Tabs } from '@/components/ui/tabs.tsx'
import type { PayloadCache } from './event/payload-cache.ts'
import { Verdict } from './rows/verdict.tsx'
import { PlaceBar, type PlaceBarProps } from './state/place-bar.tsx'
import type { StatePaneProps } from './state/state-pane.tsx'

// The panes import core and its texts, so both load after the first paint.
const StatePane = lazySection(
  () => import('./state/lazy-state.ts').then(({ LAZY_STATE }) => LAZY_STATE.StatePane),
  <SkeletonRows />,
)

const EventPane = lazySection(
  () => import('./event/event-pane.tsx').then((module) => module.EventPane),
  <SkeletonRows />,
)

export type InspectorTab = 'state' | 'event'

export interface InspectorProps {
  readonly place: PlaceBarProps
  readonly state: StatePaneProps
  readonly payloads: PayloadCache
  readonly tab: InspectorTab
  readonly onTab: (tab: InspectorTab) => void
  readonly onCopyLink: () => void
  readonly notes: ReactNode
}

export function Inspector(props: InspectorProps) {
  const { place, state, payloads, tab, onTab, onCopyLink, notes } = props
  const { selected } = place
  const { sessionId } = state
  return (
    <aside aria-label="Inspector" className="flex h-full min-h-0 flex-col bg-surface">
      <PlaceBar {...place} />
      <Tabs
        label="Inspector"
        value={tab}
        onChange={onTab}
        className="flex-1"
        tabs={[
          {
            value: 'state',
            label: 'State',
            content: (
              <Pane>
                {selected === null ? null : (
                  <div className="border-border border-b pb-3">
                    <Verdict sessionId={sessionId} row={selected} />
                  </div>
                )}
                {notes}
                <StatePane {...state} />
              </Pane>
            ),
          },
          {
            value: 'event',
            label: 'Event',
            content: (
              <Pane>
                {selected === null ? (
                  <p className="text-text-2">Select an event to see what was recorded.</p>
                ) : (
                  <>
                    <EventPane
                      sessionId={sessionId}
                      selected={selected}
                      payloads={payloads}
                      onCopyLink={onCopyLink}
                      entries={state.entries}
                      versionName={state.versionName}
                    />
                    {notes}
                  </>
                )}
              </Pane>
            ),
          },
        ]}
      />
    </aside>
  )
}

function Pane({ children }: { readonly children: ReactNode }) {
  return (
    // A scrolling pane needs a tab stop to be scrolled by keyboard.
    <div
      className="flex h-full flex-col gap-4 overflow-y-auto p-3"
      tabIndex={0}
      role="region"
      aria-label="Details"
    >
      {children}
    </div>
  )
}
