// An answer without calls is a stop attempt. A blocked stop adds a call of a tool that the model does not know, whose result is the message.
import type { AgentOutputItem, Model, ModelRequest, ModelResponse } from '@openai/agents'
import { GuardrailError } from '@signalbox/runtime'
import type { BlockedStops } from './blocked-stops.ts'
import type { RunGuard } from './run-guard.ts'

type StreamEvents = ReturnType<Model['getStreamedResponse']>
type RetryAdvice = NonNullable<Model['getRetryAdvice']>

export interface GuardedModelParts {
  readonly inner: () => Promise<Model> | Model
  readonly guard: RunGuard
  readonly stops: BlockedStops
}

export class GuardedModel implements Model {
  readonly #parts: GuardedModelParts

  constructor(parts: GuardedModelParts) {
    this.#parts = parts
  }

  async getResponse(request: ModelRequest): Promise<ModelResponse> {
    const inner = await this.#parts.inner()
    const response = await inner.getResponse(await this.#prepared(request))
    await this.#parts.guard.used(response.usage)
    return { ...response, output: await this.#judged(response.output, request) }
  }

  async *getStreamedResponse(request: ModelRequest): StreamEvents {
    const inner = await this.#parts.inner()
    for await (const event of inner.getStreamedResponse(await this.#prepared(request))) {
      if (event.type !== 'response_done') {
        yield event
        continue
      }
      const { response } = event
      await this.#parts.guard.used(response.usage)
      const added = await this.#added(response.output, request)
      yield { ...event, response: { ...response, output: [...response.output, ...added] } }
    }
  }

  async getRetryAdvice(
    args: Parameters<RetryAdvice>[0],
  ): Promise<Awaited<ReturnType<RetryAdvice>>> {
    const inner = await this.#parts.inner()
    return inner.getRetryAdvice?.(args)
  }

  async #prepared(request: ModelRequest): Promise<ModelRequest> {
    if (request.previousResponseId !== undefined || request.conversationId !== undefined)
      throw new GuardrailError(
        'bad_options',
        'A conversation that the provider stores cannot be guarded. Remove conversationId and previousResponseId.',
      )
    const { guard, stops } = this.#parts
    const input = await guard.asking(request)
    return { ...request, input, tools: request.tools.filter((tool) => !stops.isTool(tool)) }
  }

  async #judged(output: AgentOutputItem[], request: ModelRequest): Promise<AgentOutputItem[]> {
    return [...output, ...(await this.#added(output, request))]
  }

  /** Returns the call that continues the run; empty: the agent makes calls of its own, or may stop. */
  async #added(output: readonly AgentOutputItem[], request: ModelRequest) {
    const { guard, stops } = this.#parts
    await guard.judgeAll(output, new Set(request.handoffs.map(({ toolName }) => toolName)))
    const text = finalText(output)
    if (text === null) return []
    const structured = request.outputType !== 'text'
    const message = await guard.findBlock({ text, structured })
    return message === null ? [] : [stops.block(message)]
  }
}

const ACTIONS: ReadonlySet<string> = new Set([
  'function_call',
  'computer_call',
  'shell_call',
  'apply_patch_call',
])

/** Text of an answer that ends the run; null: the run continues. */
function finalText(output: readonly AgentOutputItem[]): string | null {
  if (output.some(({ type }) => type !== undefined && ACTIONS.has(type))) return null
  const texts = output.flatMap((item) =>
    item.type === 'message' && item.role === 'assistant'
      ? item.content.flatMap((part) => (part.type === 'output_text' ? [part.text] : []))
      : [],
  )
  return texts.length === 0 ? null : texts.join('')
}
