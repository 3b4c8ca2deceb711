// Counts the model's usage from its messages.
import { AIMessage } from '@langchain/core/messages'
import type { GuardedSession } from '@signalbox/runtime'
import * as z from 'zod/v4'

export class UsageCount {
  readonly #session: GuardedSession
  #answers = 0

  constructor(session: GuardedSession) {
    this.#session = session
  }

  /** `answer`: of the model; LangChain hands a structured one on with its messages. Without usage nothing is recorded. */
  async add(answer: unknown): Promise<void> {
    this.#answers += 1
    const usage = Usage.safeParse(messageIn(answer)?.usage_metadata)
    if (!usage.success) return
    await this.#session.recordUsage({ evaluation_id: `answer_${this.#answers}`, ...usage.data })
  }
}

const Usage = z.object({ input_tokens: z.number(), output_tokens: z.number() })

function messageIn(answer: unknown): AIMessage | undefined {
  if (AIMessage.isInstance(answer)) return answer
  if (typeof answer !== 'object' || answer === null || !('messages' in answer)) return undefined
  const { messages } = answer
  return Array.isArray(messages) ? messages.find((each) => AIMessage.isInstance(each)) : undefined
}
