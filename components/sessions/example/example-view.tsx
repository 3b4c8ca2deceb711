'use client'
// A session that is in no log: it is folded here, with the views of recorded sessions.
import type { ConfigDocument, SessionEvent } from '@signalbox/core'
import { changedParts, viewState } from '@signalbox/core/analysis'
import { parseAsInteger, useQueryStates } from 'nuqs'
import { useMemo } from 'react'
import { usePageKeys } from '@/components/shell/page-keys.ts'
import { ScrollBox } from '@/components/ui/scroll-box.tsx'
import { ErrorState } from '@/components/ui/states.tsx'
import { EventList } from '../page/event-list.tsx'
import { type EventRow, findSeqIndex, sessionRows } from '../page/rows/session-rows.ts'
import { StopForecast } from '../page/state/outlook-section.tsx'
import { PlaceBar } from '../page/state/place-bar.tsx'
import { computePosition, type Position, viewedSeq } from '../page/state/position.ts'
import { type StateFacts, stateSections } from '../page/state/state-lines.ts'
import { StateSectionView } from '../page/state/state-section.tsx'
import type { Moment } from '../page/state/timeline.ts'
import { type ExampleLog, foldExample } from './example-log.ts'

/** `e`: selected event. `at`: event whose state is shown, if it is not that of the selected one. */
const PLACE = { e: parseAsInteger, at: parseAsInteger }
const NOTHING: ReadonlySet<number> = new Set()

export interface ExampleViewProps {
  /** Text of the flat document. */
  readonly document: string
  readonly events: readonly SessionEvent[]
}

export function ExampleView({ document, events }: ExampleViewProps) {
  const log = useMemo(
    // The server or the editor parsed and checked it.
    () => foldExample(JSON.parse(document) as ConfigDocument, events),
    [document, events],
  )
  if (log !== null) return <Folded log={log} />
  return (
    <ErrorState
      what="The session could not be shown."
      why={new Error('This page cannot read the config. Reload it.')}
    />
  )
}

function Folded({ log }: { readonly log: ExampleLog }) {
  const [{ e, at }, setPlace] = useQueryStates(PLACE, { history: 'push' })
  const rows = useMemo(() => sessionRows(log.entries, true), [log])
  const events = rows.filter((row): row is EventRow => row.kind === 'event')
  const newestSeq = log.events.length
  const index = e === null ? -1 : findSeqIndex(events, e)
  const selected = events[index] ?? null
  const position = computePosition(selected, at, newestSeq)
  const select = (seq: number | null): void => void setPlace({ e: seq, at: null })
  const step = (direction: 1 | -1, isWanted: (row: EventRow) => boolean = () => true): void => {
    const from = index === -1 && direction === -1 ? events.length : index
    for (let i = from + direction; i >= 0 && i < events.length; i += direction) {
      const row = events[i]
      if (row === undefined || !isWanted(row)) continue
      select(row.seq)
      return
    }
  }
  const change = (direction: 1 | -1): void =>
    step(direction, ({ key, members }) => {
      const [before, after] = [log.moments[key - 1], log.moments[members.at(-1) ?? key]]
      return before !== undefined && after !== undefined && changedParts(before, after).length > 0
    })
  const verdict = (direction: 1 | -1): void => step(direction, (row) => row.verdict !== null)
  usePageKeys('example', [
    { keys: 'j', shown: 'j', does: 'next event', run: () => step(1) },
    { keys: 'k', shown: 'k', does: 'previous event', run: () => step(-1) },
    { keys: ']', shown: ']', does: 'next state change', run: () => change(1) },
    { keys: '[', shown: '[', does: 'previous state change', run: () => change(-1) },
    { keys: 'Shift+}', shown: '}', does: 'next verdict', run: () => verdict(1) },
    { keys: 'Shift+{', shown: '{', does: 'previous verdict', run: () => verdict(-1) },
    { keys: 'Escape', shown: 'Esc', does: 'return to the end', run: () => select(null) },
  ])
  return (
    <div className="flex min-h-0 flex-1 flex-col lg:flex-row">
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <EventList
          rows={rows}
          nothing="The session has no events."
          gap={{
            contiguousSeq: newestSeq,
            status: 'ended',
            runtimeName: null,
            isRestored: false,
          }}
          matched={NOTHING}
          notesOn={() => 0}
          isFollowing={false}
          selectedKey={selected?.key ?? null}
          zone="UTC"
          buildHref={(seq) => `?e=${seq}`}
          onSelect={select}
          onScrollUp={() => undefined}
        />
      </div>
      <aside
        aria-label="Inspector"
        className="flex min-h-0 w-full flex-1 flex-col border-border border-t bg-surface lg:w-[360px] lg:flex-none lg:border-t-0 lg:border-l"
      >
        <PlaceBar
          position={position}
          selected={selected}
          viewed={viewedSeq(selected, e, position.seq)}
          newestSeq={newestSeq}
          hasEnded
          onReturn={() => select(null)}
          onSide={(side) =>
            void setPlace({
              at: side === 'before' && selected !== null ? Math.max(0, selected.key - 1) : null,
            })
          }
          onChange={change}
          onVerdict={verdict}
        />
        <ScrollBox label="Details" className="min-h-0 flex-1 overflow-y-auto">
          <div className="flex flex-col gap-4 p-3">
            {selected !== null && <Recorded row={selected} events={log.events} />}
            <State log={log} position={position} />
          </div>
        </ScrollBox>
      </aside>
    </div>
  )
}

function Recorded({
  row: { members },
  events,
}: {
  readonly row: EventRow
  readonly events: readonly SessionEvent[]
}) {
  return (
    <details className="border-border border-b pb-3">
      <summary className="min-h-6 cursor-pointer font-semibold">Events of this row</summary>
      {members.map((seq) => {
        const event = events[seq - 1]
        return event === undefined ? null : (
          <section key={seq} className="flex flex-col gap-1">
            <h4>
              #{seq} <code>{event.type}</code>
            </h4>
            <pre className="whitespace-pre-wrap break-words rounded-control border border-border bg-surface-2 p-2 font-mono text-mono">
              {JSON.stringify(event.data, null, 2)}
            </pre>
          </section>
        )
      })}
    </details>
  )
}

function toStateFacts({ config, state, digest }: Moment, finals: StateFacts['finals']): StateFacts {
  const view = viewState(config, state)
  return { view, digest, finals, versionName: () => 'the config of the question' }
}

function State({ log, position }: { readonly log: ExampleLog; readonly position: Position }) {
  const shown = log.moments[position.seq]
  const other = log.moments[position.other]
  if (shown === undefined || other === undefined) return null
  const finals = log.events.flatMap(({ seq, type, data }) =>
    type === 'stop.attempted' && data.via === 'final' ? [seq] : [],
  )
  const others = stateSections(toStateFacts(other, finals))
  const sections = stateSections(toStateFacts(shown, finals)).map((section, i) => ({
    shown: section,
    other: others[i] ?? section,
  }))
  return (
    <div className="flex flex-col gap-4" data-state-seq={shown.state.seq}>
      <StopForecast moment={shown} at={shown.state.at} isPast={position.isPast}>
        {sections.map((pair) => (
          <StateSectionView key={pair.shown.title} {...pair} side={position.side} />
        ))}
      </StopForecast>
    </div>
  )
}
