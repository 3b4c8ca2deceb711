import type { EventRow } from './rows/session-rows.ts'
import { Verdict } from './rows/verdict.tsx'

const PANES = ['timeline', 'state', 'event'] as const
export type Pane = (typeof PANES)[number]

interface NarrowFootProps {
  readonly sessionId: string
  readonly selected: EventRow | null
  readonly pane: Pane
  readonly onPane: (pane: Pane) => void
}

export function NarrowFoot({ sessionId, selected, pane, onPane }: NarrowFootProps) {
  return (
    <>
      {pane === 'timeline' && selected !== null ? (
        <div className="border-border border-t bg-surface px-3 py-2">
          <Verdict sessionId={sessionId} row={selected} />
        </div>
      ) : null}
      <PaneTabs pane={pane} onPane={onPane} />
    </>
  )
}

const PANE_WORD = { timeline: 'Timeline', state: 'State', event: 'Event' } as const

function PaneTabs({
  pane,
  onPane,
}: {
  readonly pane: Pane
  readonly onPane: (pane: Pane) => void
}) {
  return (
    <nav aria-label="Panes" className="flex shrink-0 border-border border-t bg-surface">
      {PANES.map((name) => (
        <button
          key={name}
          type="button"
          aria-current={name === pane}
          onClick={() => onPane(name)}
          className="h-11 flex-1 border-transparent border-t-2 text-text-2 aria-[current=true]:border-text aria-[current=true]:font-medium aria-[current=true]:text-text"
        >
          {PANE_WORD[name]}
        </button>
      ))}
    </nav>
  )
}
