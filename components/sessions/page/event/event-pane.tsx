'use client'

import { type EventFact, plural } from '@signalbox/core/analysis'
import { Button } from '@/components/ui/button.tsx'
import { type KeyValue, KeyValueList } from '@/components/ui/card.tsx'
import { CopyButton } from '@/components/ui/copy.tsx'
import { Kbd } from '@/components/ui/kbd.tsx'
import { ScrollBox } from '@/components/ui/scroll-box.tsx'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { durationText, Timestamp } from '@/components/ui/time.tsx'
import type { RecordedEvent } from '@/server/sessions/log/recorded-events.ts'
import { eventLook, MARK_CLASS, WORD_CLASS } from '../rows/event-look.ts'
import type { EventRow } from '../rows/session-rows.ts'
import { Verdict } from '../rows/verdict.tsx'
import { listRowFacts } from './event-facts.ts'
import { type FactContext, FactList } from './fact-view.tsx'
import { PlanFact, type PlanSource } from './plan-fact.tsx'
import { skewText } from './skew-text.ts'
import { usePayloads } from './use-payloads.ts'

export interface EventPaneProps extends PlanSource {
  readonly sessionId: string
  readonly selected: EventRow
  readonly versionName: (digest: string) => string
  readonly onCopyLink: () => void
}

const MOST_MEMBERS = 20

export function EventPane(props: EventPaneProps) {
  const { sessionId, selected, payloads, entries, onCopyLink } = props
  const members = selected.members.slice(0, MOST_MEMBERS)
  const { events, isLoaded, error, retry } = usePayloads(payloads, members)
  if (error !== null) {
    return <ErrorState what="The event could not be loaded." why={error} onRetry={retry} />
  }
  if (!isLoaded) return <SkeletonRows />
  const facts = listRowFacts(events, selected.text)
  const isUnread = facts.includes(null)
  const hidden = selected.members.length - members.length
  return (
    <>
      <Verdict sessionId={sessionId} row={selected} />
      {events.map((event, index) => (
        <EventSection
          key={event.id}
          event={event}
          facts={facts[index] ?? null}
          isAlone={events.length === 1}
          context={{
            sessionId,
            plan: (steps) => (
              <PlanFact seq={event.seq} steps={steps} source={{ entries, payloads }} />
            ),
          }}
        />
      ))}
      {hidden > 0 ? (
        <p className="text-small text-text-2">
          Showing {MOST_MEMBERS} of {plural(selected.members.length, 'event')} of this row. “Every
          event” in the list has each of them.
        </p>
      ) : null}
      {events.length === 0 ? null : <Timing {...props} events={events} />}
      <Button onClick={onCopyLink} className="self-start">
        Copy event link <Kbd>c</Kbd>
      </Button>
      <Raw key={selected.key} events={events} isOpen={isUnread} />
    </>
  )
}

function EventSection({
  event,
  facts,
  isAlone,
  context,
}: {
  readonly event: RecordedEvent
  /** Null: this type of event has no facts. */
  readonly facts: readonly EventFact[] | null
  /** The verdict above belongs to this event. */
  readonly isAlone: boolean
  readonly context: FactContext
}) {
  if (facts !== null && facts.length === 0 && isAlone) return null
  const { icon: Icon, word, tone } = eventLook(event)
  return (
    <section className="flex flex-col gap-1.5" data-event={event.type}>
      {isAlone ? null : (
        <h3 className="flex items-center gap-1.5 border-border border-t pt-2">
          <Icon aria-hidden size={14} className={MARK_CLASS[tone]} />
          <span className={`font-semibold ${WORD_CLASS[tone]}`}>{word}</span>
          <span className="ml-auto font-mono text-mono text-text-3">#{event.seq}</span>
        </h3>
      )}
      {facts === null ? (
        <p className="text-text-2">
          This console does not know the event type <code>{event.type}</code>. The event is shown
          below as recorded.
        </p>
      ) : (
        <FactList facts={facts} context={context} />
      )}
    </section>
  )
}

function Timing({
  selected,
  events,
  versionName,
}: EventPaneProps & { readonly events: readonly RecordedEvent[] }) {
  const [first, ...later] = events
  if (first === undefined) return null
  const { durationMs } = selected
  const skew = skewText(events)
  const items: readonly (KeyValue | null)[] = [
    { name: 'Started', value: <Timestamp at={first.at} /> },
    ...later.map((event) => ({
      name: `#${event.seq} ${eventLook(event).word.toLowerCase()}`,
      value: `+${durationText(event.at - first.at)}`,
    })),
    durationMs === null ? null : { name: 'Took', value: durationText(durationMs) },
    skew === null ? null : { name: 'Received', value: skew },
    { name: 'Recorded as', value: events.map(({ seq }) => `#${seq}`).join(', ') },
    first.config === null ? null : { name: 'Under config', value: versionName(first.config) },
  ]
  return (
    <section className="flex flex-col gap-1 border-border border-t pt-2" data-event="timing">
      <h3 className="font-semibold">Timing</h3>
      <KeyValueList items={items.filter((item) => item !== null)} />
    </section>
  )
}

function Raw({
  events,
  isOpen,
}: {
  readonly events: readonly RecordedEvent[]
  readonly isOpen: boolean
}) {
  return (
    <details open={isOpen} className="border-border border-t pt-2">
      <summary className="min-h-6 cursor-pointer font-semibold">Raw</summary>
      <div className="flex flex-col gap-3">
        {events.map((event) => (
          <Recorded key={event.id} event={event} />
        ))}
      </div>
    </details>
  )
}

function Recorded({ event }: { readonly event: RecordedEvent }) {
  return (
    <section className="flex flex-col gap-1">
      <div className="flex items-center gap-x-2">
        <h4>
          #{event.seq} <code>{event.type}</code>
        </h4>
        <span className="ml-auto">
          <CopyButton text={event.data} label={`Copy data of event ${event.seq}`} />
        </span>
      </div>
      <ScrollBox
        label={`Data of event ${event.seq}`}
        className="max-h-80 overflow-auto whitespace-pre rounded-control border border-border bg-surface-2 p-2 font-mono text-mono"
      >
        {event.data}
      </ScrollBox>
      <p className="truncate font-mono text-mono text-text-3" title={event.hash}>
        hash {event.hash.slice(0, 16)}…
      </p>
    </section>
  )
}
