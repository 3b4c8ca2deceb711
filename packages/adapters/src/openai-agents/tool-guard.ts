// An input guardrail of the SDK allows a call only with a verdict; an output guardrail changes nothing.
import {
  defineToolInputGuardrail,
  defineToolOutputGuardrail,
  type Tool,
  ToolGuardrailFunctionOutputFactory,
} from '@openai/agents'
import { GuardrailError } from '@signalbox/runtime'
import { findToolEnd, judgeAgentEnd } from './observed-tool.ts'
import type { RunGuard } from './run-guard.ts'

const NAME = 'signalbox'
const { allow, rejectContent } = ToolGuardrailFunctionOutputFactory

export class ToolGuard {
  readonly #trusted = new WeakSet<object>()

  trust<Made>(tool: Made): Made {
    if (typeof tool === 'object' && tool !== null) this.#trusted.add(tool)
    return tool
  }

  /** Returns tools that are not functions unchanged. Throws GuardrailError for an agent that would run unguarded. */
  wrap<Context>(tool: Tool<Context>, guard: RunGuard): Tool<Context> {
    if (tool.type !== 'function') return tool
    const isAgent = 'on' in tool
    if (isAgent && !this.#trusted.has(tool))
      throw new GuardrailError(
        'bad_options',
        `The tool "${tool.name}" runs an agent without guardrails. Create it with guard.agent(…, { as }).`,
      )
    const before = defineToolInputGuardrail<Context>({
      name: NAME,
      run: async ({ toolCall }) => {
        const verdict = await guard.verdictOn(toolCall)
        return verdict.allowed ? allow() : rejectContent(verdict.text)
      },
    })
    const behind = defineToolOutputGuardrail<Context>({
      name: NAME,
      run: async ({ toolCall, output }) => {
        const end = isAgent ? judgeAgentEnd(output) : findToolEnd(tool, toolCall, output)
        await guard.ended(toolCall, end, output)
        return allow()
      },
    })
    return {
      ...tool,
      inputGuardrails: [before, ...(tool.inputGuardrails ?? [])],
      // First, because later guardrails do not run after one that rejects.
      outputGuardrails: [behind, ...(tool.outputGuardrails ?? [])],
    }
  }
}
