import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, type BaseMessage } from '@langchain/core/messages'
import type { ChatResult } from '@langchain/core/outputs'

export interface ScriptedAnswer {
  readonly calls?: readonly {
    readonly id: string
    readonly tool: string
    readonly input?: { readonly [key: string]: unknown }
  }[]
  readonly text?: string
}

const USAGE = { input_tokens: 10, output_tokens: 5, total_tokens: 15 }

/** After the script it always answers `Done.` */
export class ScriptedChatModel extends BaseChatModel {
  readonly requests: string[] = []
  readonly #script: readonly ScriptedAnswer[]

  constructor(script: readonly ScriptedAnswer[]) {
    super({})
    this.#script = script
  }

  override _llmType(): string {
    return 'scripted'
  }

  override bindTools(): this {
    return this
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const { calls = [], text = '' } = this.#script[this.requests.length] ?? { text: 'Done.' }
    this.requests.push(
      messages.map((message) => `${message.type}: ${JSON.stringify(message.content)}`).join('\n'),
    )
    const tool_calls = calls.map(({ id, tool, input }) => ({ id, name: tool, args: { ...input } }))
    // LangChain's types accept usage only together with a message structure.
    const message = Object.assign(new AIMessage({ content: text, tool_calls }), {
      usage_metadata: USAGE,
    })
    return { generations: [{ text, message }] }
  }
}
