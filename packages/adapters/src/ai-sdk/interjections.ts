// The SDK drops messages that were added to one step, so each is inserted again at its position before every later step.
import type { ModelMessage } from 'ai'

export class Interjections {
  #pending: string[] = []
  /** Messages that the model has received; `at`: number of messages of the SDK before each. */
  #said: { readonly at: number; readonly text: string }[] = []

  add(text: string): void {
    this.#pending.push(text)
  }

  before(messages: readonly ModelMessage[]): ModelMessage[] {
    this.#said.push(...this.#pending.map((text) => ({ at: messages.length, text })))
    this.#pending = []
    return [...messages.keys(), messages.length].flatMap((at) => [
      ...this.#said.filter((said) => said.at === at).map(({ text }) => userMessage(text)),
      ...messages.slice(at, at + 1),
    ])
  }

  take(messages: readonly ModelMessage[]): ModelMessage[] {
    const all = this.before(messages)
    this.#said = []
    return all
  }
}

export function userMessage(content: string): ModelMessage {
  return { role: 'user', content }
}
