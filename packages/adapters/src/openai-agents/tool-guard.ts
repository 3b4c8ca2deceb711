// An input guardrail of the SDK allows a call only with a verdict; an output guardrail replaces what content rules hide.
import {
  defineToolInputGuardrail,
  defineToolOutputGuardrail,
  type Tool,
  ToolGuardrailFunctionOutputFactory,
} from '@openai/agents'
import { GuardrailError } from '@signalbox/runtime'
import { toReplacementText } from '../base/replacement-text.ts'
import { findToolEnd, judgeAgentEnd } from './observed-tool.ts'
import type { RunGuard } from './run-guard.ts'

const NAME = 'signalbox'
const NOT_JUDGED = 'This call was made outside a run of the SDK, so nothing has judged it.'
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
    /** Call as the tool got it, by the SDK's object for the call. */
    const given = new WeakMap<object, object>()
    const before = defineToolInputGuardrail<Context>({
      name: NAME,
      run: async ({ toolCall }) => {
        const verdict = await guard.verdictOn(toolCall)
        return verdict.allowed ? allow() : rejectContent(verdict.text)
      },
    })
    const behind = defineToolOutputGuardrail<Context>({
      name: NAME,
      run: async (data) => {
        const { toolCall, output } = data
        const end = isAgent
          ? judgeAgentEnd(output)
          : findToolEnd(tool, given.get(toolCall) ?? toolCall, output)
        const replaced = await guard.ended(toolCall, end, output)
        if (replaced === null) return allow()
        const text = toReplacementText(replaced)
        // The SDK runs none after one that rejects.
        for (const own of tool.outputGuardrails ?? []) {
          const judged = await own.run({ ...data, output: text })
          if (judged.behavior.type !== 'allow') return judged
        }
        return rejectContent(text)
      },
    })
    return {
      ...tool,
      invoke: async (context, input, details) => {
        const toolCall = details?.toolCall
        // Nothing has judged it.
        if (details === undefined || toolCall === undefined) throw new Error(NOT_JUDGED)
        const verdict = await guard.verdictOn(toolCall)
        if (!verdict.allowed) throw new Error(verdict.text)
        if (verdict.input === undefined) return tool.invoke(context, input, details)
        const text = JSON.stringify(verdict.input)
        const masked = { ...toolCall, arguments: text }
        given.set(toolCall, masked)
        // Many fields are symbols that are not enumerable. The SDK stores the parsed arguments by the object, so the copy has none.
        const { toolCall: _, ...fields } = Object.getOwnPropertyDescriptors(details)
        return tool.invoke(context, text, Object.defineProperties({ toolCall: masked }, fields))
      },
      inputGuardrails: [before, ...(tool.inputGuardrails ?? [])],
      // First, because later guardrails do not run after one that rejects.
      outputGuardrails: [behind, ...(tool.outputGuardrails ?? [])],
    }
  }
}
