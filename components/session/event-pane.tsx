// The selected row's events as they were recorded, with the ways to copy and link them.
'use client'

import { Button } from '@/components/ui/button.tsx'
import { CopyButton } from '@/components/ui/copy.tsx'
import { Kbd } from '@/components/ui/kbd.tsx'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { durationText, Timestamp } from '@/components/ui/time.tsx'
import type { RecordedEvent } from '@/server/services/audit/recorded-events.ts'
import type { PayloadCache } from './payload-cache.ts'
import type { EventRow } from './session-rows.ts'
import { usePayloads } from './use-payloads.ts'

export function EventPane({
  payloads,
  selected,
  onCopyLink,
}: {
  readonly payloads: PayloadCache
  readonly selected: EventRow
  readonly onCopyLink: () => void
}) {
  const { events, isLoaded, error, retry } = usePayloads(payloads, selected.members.slice(0, 20))
  if (error !== null) {
    return <ErrorState what="The event could not be loaded." why={error} onRetry={retry} />
  }
  if (!isLoaded) return <SkeletonRows />
  return (
    <>
      <Button onClick={onCopyLink} className="self-start">
        Copy event link <Kbd>c</Kbd>
      </Button>
      {events.map((event) => (
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
