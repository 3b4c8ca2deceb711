// The session's guardrails evaluate each call before it runs and record it afterwards. Only the handler runs here, in its transaction.
import type { AnyTool, PromptSession } from '@signalbox/agent'
import { jsonSchema, type Schema, type Tool, tool } from 'ai'

export type AnyPromptSession = Pick<PromptSession, 'tools' | 'perform'>

const ANY_OBJECT = { type: 'object' } as const

/** `generateText({ system: run.render().text, …guardGeneration(run.guarded, promptTools(run)) })`. A failure reaches the model as the tool's error. */
export function promptTools(run: AnyPromptSession): {
  readonly [name: string]: Tool<unknown, string>
} {
  return Object.fromEntries(run.tools.map((declared) => [declared.name, createTool(run, declared)]))
}

function createTool(run: AnyPromptSession, declared: AnyTool): Tool<unknown, string> {
  const { name, description } = declared
  return tool({
    description,
    inputSchema: toToolSchema(declared),
    execute: async (params, { toolCallId: callId, abortSignal: signal }) => {
      const call = { tool: name, params, callId }
      const result = await run.perform(signal === undefined ? call : { ...call, signal })
      if (!result.success) throw new Error(result.message)
      return result.message
    },
  })
}

/** The SDK parses by this schema before it requests approval, so the guardrails evaluate the handler's input. */
function toToolSchema(declared: AnyTool): Schema<unknown> {
  return jsonSchema<unknown>(declared.inputSchema ?? ANY_OBJECT, {
    validate: async (args) => {
      const prepared = await declared.prepare(args)
      return prepared.ok
        ? { success: true, value: prepared.params }
        : { success: false, error: new Error(prepared.reason) }
    },
  })
}
