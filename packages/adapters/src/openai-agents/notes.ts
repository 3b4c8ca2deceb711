// The SDK's history does not contain the guardrails' messages, so each is inserted after its call in every request.
import type { AgentInputItem } from '@openai/agents'

interface Note {
  readonly callId: string
  readonly text: string
}

export class Notes {
  #pending: Note[] = []
  #sent: Note[] = []

  add(callId: string, text: string): void {
    this.#pending.push({ callId, text })
  }

  /** Returns `input` with every note in its position. A new note whose call was removed from the history is appended. */
  in(input: string | AgentInputItem[]): string | AgentInputItem[] {
    if (this.#pending.length + this.#sent.length === 0) return input
    const items = typeof input === 'string' ? [userMessage(input)] : input
    const fresh = new Set(this.#pending)
    this.#sent.push(...this.#pending)
    this.#pending = []
    const placed = new Set<Note>()
    const all = items.flatMap((item, index) => {
      // After the last result of the turn, because providers require the results of one turn together.
      if (!isResult(item) || isResult(items[index + 1])) return [item]
      const here = this.#sent.filter((note) => !placed.has(note) && isBefore(items, index, note))
      for (const note of here) placed.add(note)
      return [item, ...here.map(({ text }) => userMessage(text))]
    })
    const lost = [...fresh].filter((note) => !placed.has(note))
    return [...all, ...lost.map(({ text }) => userMessage(text))]
  }
}

export function answeredIn(input: string | AgentInputItem[]): ReadonlySet<string> {
  const items = typeof input === 'string' ? [] : input
  return new Set(
    items.flatMap((item) => (item.type === 'function_call_result' ? [item.callId] : [])),
  )
}

function isBefore(items: readonly AgentInputItem[], index: number, { callId }: Note): boolean {
  return items
    .slice(0, index + 1)
    .some((item) => item.type === 'function_call_result' && item.callId === callId)
}

function isResult(item: AgentInputItem | undefined): boolean {
  return item?.type?.endsWith('_result') === true
}

function userMessage(content: string): AgentInputItem {
  return { type: 'message', role: 'user', content }
}
