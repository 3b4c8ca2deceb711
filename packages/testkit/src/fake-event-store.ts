import { eventHash, parseEventLine } from '@signalbox/wire'

type LineError = EventsAnswer['errors'][number]

export interface EventsAnswer {
  readonly acked_through: { readonly [session: string]: number }
  readonly gaps: readonly { readonly session: string; readonly from: number; readonly to: number }[]
  readonly errors: readonly {
    readonly line: number
    readonly code: string
    readonly detail: string
  }[]
  readonly stored: number
  readonly duplicates: number
}

interface Stored {
  readonly hash: string
  readonly text: string
}

interface StoredEvent {
  readonly seq: number
  readonly type: string
  /** Digest of the config of the decision; absent: the event names none. */
  readonly config?: string
}

export class FakeEventStore {
  readonly #sessions = new Map<string, Map<number, Stored>>()
  #stored = 0
  #duplicates = 0

  get stored(): number {
    return this.#stored
  }

  get duplicates(): number {
    return this.#duplicates
  }

  sessions(): readonly string[] {
    return [...this.#sessions.keys()]
  }

  events(session: string): readonly StoredEvent[] {
    const found = [...(this.#sessions.get(session) ?? [])].sort(([a], [b]) => a - b)
    return found.map(([, { text }]) => JSON.parse(text))
  }

  text(session: string): string {
    const found = [...(this.#sessions.get(session) ?? [])].sort(([a], [b]) => a - b)
    return found.map(([, { text }]) => text).join('\n')
  }

  take(body: string): EventsAnswer {
    const errors: LineError[] = []
    const named = new Set<string>()
    const before = { stored: this.#stored, duplicates: this.#duplicates }
    for (const [i, line] of body.split('\n').entries()) {
      if (line === '') continue
      const problem = this.#takeLine(line, named)
      if (problem !== null) errors.push({ line: i + 1, ...problem })
    }
    return {
      acked_through: Object.fromEntries([...named].map((id) => [id, this.#contiguous(id)])),
      gaps: [],
      errors,
      stored: this.#stored - before.stored,
      duplicates: this.#duplicates - before.duplicates,
    }
  }

  #takeLine(line: string, named: Set<string>): { code: string; detail: string } | null {
    const parsed = parseEventLine(line)
    if (!parsed.ok) return { code: 'invalid_event', detail: parsed.problem.message }
    const { session, seq } = parsed.event
    named.add(session)
    const hash = eventHash(parsed.event)
    const stored = this.#sessions.get(session) ?? new Map<number, Stored>()
    this.#sessions.set(session, stored)
    const known = stored.get(seq)
    if (known === undefined) {
      stored.set(seq, { hash, text: line })
      this.#stored += 1
      return null
    }
    if (known.hash !== hash)
      return { code: 'conflict', detail: 'Another event is stored under this sequence number.' }
    this.#duplicates += 1
    return null
  }

  #contiguous(session: string): number {
    const stored = this.#sessions.get(session)
    let seq = 0
    while (stored?.has(seq + 1) === true) seq += 1
    return seq
  }
}
