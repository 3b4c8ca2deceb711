// The tools of a prompt session as AI SDK tools. Give them to guardGeneration with the session's guardrails, which ask before
// and tell after each call; here only the handler runs, inside its transaction.
import type { PromptSession } from '@signalbox/runtime/prompt'
import { jsonSchema, type Tool, tool } from 'ai'

/** Of any parameters and any output. */
export type AnyPromptSession = Pick<PromptSession, 'tools' | 'perform'>

const ANY_OBJECT = { type: 'object' } as const

/**
 * `generateText({ system: run.render().text, …guardGeneration(run.guarded, promptTools(run)) })`. The model reads the message of
 * each result; a failure reaches it as the tool's error.
 */
export function promptTools(run: AnyPromptSession): {
  readonly [name: string]: Tool<unknown, string>
} {
  return Object.fromEntries(
    run.tools.map(({ name, description, inputSchema }) => [
      name,
      tool({
        description,
        inputSchema: jsonSchema<unknown>(inputSchema ?? ANY_OBJECT),
        execute: async (input, { toolCallId: callId, abortSignal: signal }) => {
          const call = { tool: name, args: input, callId }
          const result = await run.perform(signal === undefined ? call : { ...call, signal })
          if (!result.success) throw new Error(result.message)
          return result.message
        },
      }),
    ]),
  )
}
