// The labeled facts of stored events, as the Event pane shows them. Types that this build does not know are shown as recorded. Pure.
import type { SessionEvent } from '@signalbox/core'
import { type EventFact, listEventFacts } from '@signalbox/core/analysis'

export interface StoredEvent {
  readonly type: string
  /** JSON text. */
  readonly data: string
}

/** In the order in which they are read; null: of a type that this build does not know, or of another form than it knows. */
export function eventFacts({ type, data }: StoredEvent): readonly EventFact[] | null {
  // Accepted by the wire schema, unless it was stored by a build that did not know the type yet.
  const event = { type, data: JSON.parse(data) } as Pick<SessionEvent, 'type' | 'data'>
  try {
    return listEventFacts(event)
  } catch {
    return null
  }
}

/** The facts of each event; a fact that the title or an earlier event already shows is left out. */
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
