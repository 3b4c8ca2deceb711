// Tool by which a blocked stop stays in the run. The model sees only its results, never the tool itself.
import { tool } from '@openai/agents'
import * as z from 'zod/v4'

const NAME = 'signalbox_completion_check'

export class BlockedStops {
  readonly #messages = new Map<string, string>()
  readonly tool = tool({
    name: NAME,
    description: 'Whether the task is complete.',
    parameters: z.object({}),
    execute: (_, __, details) => this.#messages.get(details?.toolCall?.callId ?? '') ?? '',
  })

  isTool({ name }: { readonly name?: string }): boolean {
    return name === NAME
  }

  block(message: string) {
    const callId = `call_completion_${this.#messages.size + 1}`
    this.#messages.set(callId, message)
    const status = 'completed' as const
    return { type: 'function_call' as const, callId, name: NAME, arguments: '{}', status }
  }
}
