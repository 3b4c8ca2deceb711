// Types unknown to this build are shown as recorded. Pure.
import type { SessionEvent } from '@signalbox/core'
import { type EventFact, listEventFacts } from '@signalbox/core/analysis'

export interface StoredEvent {
  readonly type: string
  /** JSON text. */
  readonly data: string
}

/** In reading order; null: this build does not know the type or its form. */
export function eventFacts({ type, data }: StoredEvent): readonly EventFact[] | null {
  // The wire schema accepted the event, unless it was stored by a build that did not know the type yet.
  const event = { type, data: JSON.parse(data) } as Pick<SessionEvent, 'type' | 'data'>
  try {
    return listEventFacts(event)
  } catch {
    return null
  }
}

/** Facts of each event, without those that the title or an earlier event already shows. */
export function listRowFacts(
  events: readonly StoredEvent[],
  title: string,
): readonly (readonly EventFact[] | null)[] {
  const told = new Set<string>()
  return events.map((event) => {
    const facts = eventFacts(event)
    return (
      facts?.filter((fact) => {
        const said = JSON.stringify(fact)
        const isNew = !told.has(said) && !(fact.value.kind === 'text' && fact.value.text === title)
        told.add(said)
        return isNew
      }) ?? null
    )
  })
}
