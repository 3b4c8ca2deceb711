// Messages count the model's output only up to their start. The result reports everything, including sub-agents and the SDK's own calls.
import { isJsonObject, type JsonObject, type UsageRecorded } from '@signalbox/core'

interface Tokens {
  readonly input: number
  readonly output: number
}

const NONE: Tokens = { input: 0, output: 0 }

export class TokenCount {
  readonly #messages = new Map<string, Tokens>()

  /** Usage that the message adds or corrects; null: none. */
  add(message: unknown): UsageRecorded | null {
    if (!isJsonObject(message)) return null
    if (message['type'] === 'assistant') return this.#ofMessage(toTokenObject(message['message']))
    if (message['type'] === 'result') return this.#ofRest(toTokenObject(message['modelUsage']))
    return null
  }

  #ofMessage({ id, usage }: JsonObject): UsageRecorded | null {
    if (typeof id !== 'string' || !isJsonObject(usage)) return null
    const tokens = {
      input:
        count(usage['input_tokens']) +
        count(usage['cache_creation_input_tokens']) +
        count(usage['cache_read_input_tokens']),
      output: count(usage['output_tokens']),
    }
    const known = this.#messages.get(id)
    if (known?.input === tokens.input && known.output === tokens.output) return null
    this.#messages.set(id, tokens)
    return recorded(id, tokens)
  }

  #ofRest(models: JsonObject): UsageRecorded {
    const all = Object.values(models).map((model) => {
      const used = toTokenObject(model)
      return {
        input:
          count(used['inputTokens']) +
          count(used['cacheCreationInputTokens']) +
          count(used['cacheReadInputTokens']),
        output: count(used['outputTokens']),
      }
    })
    const [total, told] = [sum(all), sum([...this.#messages.values()])]
    return recorded('not_in_messages', {
      input: Math.max(0, total.input - told.input),
      output: Math.max(0, total.output - told.output),
    })
  }
}

function recorded(evaluation_id: string, { input, output }: Tokens): UsageRecorded {
  return { evaluation_id, input_tokens: input, output_tokens: output }
}

function sum(all: readonly Tokens[]): Tokens {
  return all.reduce(
    (total, { input, output }) => ({ input: total.input + input, output: total.output + output }),
    NONE,
  )
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0
}

function toTokenObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}
