import type { ToolMessage } from '@langchain/core/messages'
import type { ToolCall } from '@langchain/core/messages/tool'
import type { Command, LangGraphRunnableConfig } from '@langchain/langgraph'
import { ToolNode, type ToolNodeOptions } from '@langchain/langgraph/prebuilt'
import type { JsonObject } from '@signalbox/core'
import type { CallGuard } from '../base/call-guard.ts'
import { openCalls } from './graph-messages.ts'

interface GuardedToolNodeParts {
  readonly calls: CallGuard
  readonly noteUsage: (state: unknown) => Promise<void>
  readonly options: ToolNodeOptions | undefined
}

export class GuardedToolNode extends ToolNode {
  readonly #parts: GuardedToolNodeParts

  constructor(tools: ToolNode['tools'], parts: GuardedToolNodeParts) {
    // The parent would turn errors into messages that do not reveal whether the arguments were accepted.
    super(tools, { ...parts.options, handleToolErrors: false })
    this.#parts = parts
  }

  protected override async run(input: unknown, config: LangGraphRunnableConfig): Promise<unknown> {
    await this.#parts.noteUsage(input)
    await this.#parts.calls.judge(openCalls(input))
    return super.run(input, config)
  }

  protected override runTool(
    call: ToolCall,
    config: LangGraphRunnableConfig,
    state: unknown,
  ): Promise<ToolMessage | Command> {
    const known = this.tools.some(({ name }) => name === call.name)
    const tool = {
      known,
      call: (args: JsonObject | undefined) =>
        super.runTool(args === undefined ? call : { ...call, args }, config, state),
    }
    const isToThrow = this.#parts.options?.handleToolErrors === false
    return this.#parts.calls.run(call, tool, () => isToThrow || config.signal?.aborted === true)
  }
}
