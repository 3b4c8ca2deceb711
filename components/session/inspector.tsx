// What is known about the selected event: the event itself as recorded, and the state of the guardrails after it. Without a
// selection it shows the present.
'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Timer } from 'lucide-react'
import Link from 'next/link'
import type { ReactNode } from 'react'
import { useTRPC } from '@/components/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { CopyButton } from '@/components/ui/copy.tsx'
import { Kbd } from '@/components/ui/kbd.tsx'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { Tabs } from '@/components/ui/tabs.tsx'
import { durationText, Timestamp } from '@/components/ui/time.tsx'
import type { RecordedEvent } from '@/server/services/audit/recorded-events.ts'
import { eventLook, MARK_CLASS, WORD_CLASS } from './event-look.ts'
import type { EventRow } from './session-rows.ts'
import { StateSections } from './state-view.tsx'
import { useEachSecond } from './use-each-second.ts'

export type InspectorTab = 'state' | 'event'

export interface InspectorProps {
  readonly sessionId: string
  /** Null: the present. */
  readonly selected: EventRow | null
  readonly newestSeq: number
  readonly tab: InspectorTab
  readonly onTab: (tab: InspectorTab) => void
  readonly onReturn: () => void
  readonly onVerdict: (direction: 1 | -1) => void
  readonly onCopyLink: () => void
}

export function Inspector(props: InspectorProps) {
  const { sessionId, selected, tab, onTab } = props
  const newestSeq = useEachSecond(props.newestSeq)
  return (
    <aside aria-label="Inspector" className="flex h-full min-h-0 flex-col bg-surface">
      <Place {...props} />
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
                <StatePane
                  sessionId={sessionId}
                  seq={selected?.members.at(-1) ?? newestSeq}
                  from={selected?.key ?? newestSeq}
                />
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
                  <EventPane {...props} selected={selected} />
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
    // A scrolling pane is a tab stop, so that the keyboard can scroll it.
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

/** The state shown is that after the row's last event, e.g. after the call's result. */
function placeText(selected: EventRow | null, newestSeq: number): string {
  if (selected === null) return `now, #${newestSeq}`
  const last = selected.members.at(-1) ?? selected.seq
  return last === selected.seq ? `at #${last}` : `after #${selected.seq}–${last}`
}

/** Which moment is shown, and the way back to the present. */
function Place({ selected, newestSeq, onReturn, onVerdict }: InspectorProps) {
  return (
    <div className="flex min-h-9 flex-wrap items-center gap-2 border-border border-b px-3 py-1">
      <h2 className="font-semibold text-h2">State {placeText(selected, newestSeq)}</h2>
      {selected === null ? null : (
        <button
          type="button"
          onClick={onReturn}
          title="Return to now"
          className="inline-flex h-6 items-center gap-1 rounded-badge border border-neutral-bd bg-neutral-bg px-1.5 text-neutral-fg text-small"
        >
          <Timer aria-hidden size={12} />
          viewing the past <Kbd>Esc</Kbd>
        </button>
      )}
      <span className="ml-auto flex gap-1">
        <button
          type="button"
          aria-label="Previous verdict"
          className="min-h-6 min-w-6"
          onClick={() => onVerdict(-1)}
        >
          <Kbd>{'{'}</Kbd>
        </button>
        <button
          type="button"
          aria-label="Next verdict"
          className="min-h-6 min-w-6"
          onClick={() => onVerdict(1)}
        >
          <Kbd>{'}'}</Kbd>
        </button>
      </span>
    </div>
  )
}

function auditHref(sessionId: string, row: EventRow): string | null {
  const name = `${sessionId.replace(/^sess_/, '')}_${row.seq}`
  if (row.type === 'stop.decided') return `/stops/stop_${name}`
  return row.type === 'tool.decided' ? `/decisions/dec_${name}` : null
}

/** The selected event's own word and reason, before any data. */
export function Verdict({
  sessionId,
  row,
}: {
  readonly sessionId: string
  readonly row: EventRow
}) {
  const { icon: Icon, word, tone } = eventLook(row)
  const href = auditHref(sessionId, row)
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-center gap-1.5">
        <Icon aria-hidden size={16} className={MARK_CLASS[tone]} />
        <span className={`font-semibold ${WORD_CLASS[tone]}`}>{word}</span>
        <span className="truncate font-mono text-mono">{row.subject}</span>
        {href === null ? null : (
          <Link href={href} className="ml-auto whitespace-nowrap text-link">
            Why ›
          </Link>
        )}
      </div>
      {row.text === '' ? null : <p className="break-words text-text-2">{row.text}</p>}
      {row.nativeTool === null ? null : (
        <p className="break-words text-small text-text-2">
          The harness calls this tool <code className="font-mono text-mono">{row.nativeTool}</code>.
        </p>
      )}
    </div>
  )
}

function StatePane(input: {
  readonly sessionId: string
  readonly seq: number
  readonly from: number
}) {
  const trpc = useTRPC()
  const query = useQuery(
    trpc.sessions.state.queryOptions(input, {
      placeholderData: keepPreviousData,
      staleTime: 5_000,
    }),
  )
  if (query.data !== undefined) return <StateSections state={query.data} />
  if (query.error !== null) {
    return (
      <ErrorState
        what="The state could not be computed."
        why={query.error.message}
        onRetry={() => void query.refetch()}
      />
    )
  }
  return <SkeletonRows />
}

function EventPane({
  sessionId,
  selected,
  onCopyLink,
}: InspectorProps & { readonly selected: EventRow }) {
  const trpc = useTRPC()
  const seqs = selected.members.slice(0, 20)
  const query = useQuery(
    trpc.sessions.events.queryOptions({ sessionId, seqs }, { staleTime: Number.POSITIVE_INFINITY }),
  )
  if (query.error !== null) {
    return (
      <ErrorState
        what="The event could not be loaded."
        why={query.error.message}
        onRetry={() => void query.refetch()}
      />
    )
  }
  if (query.data === undefined) return <SkeletonRows />
  return (
    <>
      <Button onClick={onCopyLink} className="self-start">
        Copy event link <Kbd>c</Kbd>
      </Button>
      {query.data.map((event) => (
        <Recorded key={event.id} event={event} />
      ))}
    </>
  )
}

function Recorded({ event }: { readonly event: RecordedEvent }) {
  const late = event.receivedAt - event.at
  return (
    <section className="flex flex-col gap-1">
      <div className="flex flex-wrap items-baseline gap-x-2">
        <h3 className="font-semibold text-h2">
          #{event.seq} <code>{event.type}</code>
        </h3>
        {event.audit === null ? null : (
          <a href={event.audit} className="text-link">
            Why ›
          </a>
        )}
        <span className="ml-auto">
          <CopyButton text={event.data} label={`Copy data of event ${event.seq}`} />
        </span>
      </div>
      <p className="text-small text-text-2">
        <Timestamp at={event.at} />
        {late > 1000 ? ` · received +${durationText(late)}` : ''}
      </p>
      <pre
        // Long payloads scroll in their own box, also by keyboard.
        tabIndex={0}
        className="max-h-80 overflow-auto rounded-control border border-border bg-surface-2 p-2 font-mono text-mono"
      >
        {event.data}
      </pre>
      <p className="truncate font-mono text-mono text-text-3" title={event.hash}>
        hash {event.hash.slice(0, 16)}…
      </p>
    </section>
  )
}
