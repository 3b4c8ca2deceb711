// The state of a graph, as LangGraph's own ToolNode reads it.

import { AIMessage, ToolMessage } from '@langchain/core/messages'
import type { UsageRecorded } from '@signalbox/core'
import * as z from 'zod/v4'
import type { RequestedCall } from '../base/call-guard.ts'

/** Messages of a state, or a state that is a list of them; empty: it has none. */
export function readMessages(state: unknown): readonly unknown[] {
  if (Array.isArray(state)) return state
  if (typeof state !== 'object' || state === null || !('messages' in state)) return []
  return Array.isArray(state.messages) ? state.messages : []
}

/** The model's last answer; undefined: there is none. */
export function findAnswer(
  messages: readonly unknown[],
): { readonly message: AIMessage; readonly index: number } | undefined {
  const index = messages.findLastIndex((message) => AIMessage.isInstance(message))
  const message = messages[index]
  return AIMessage.isInstance(message) ? { message, index } : undefined
}

const SentCall = z.object({
  lg_tool_call: z.object({ id: z.string().optional(), name: z.string(), args: z.unknown() }),
})

/** Calls that a tool node is about to run: the unanswered ones of the last answer, or the one that a `Send` carries. */
export function openCalls(input: unknown): readonly RequestedCall[] {
  const sent = SentCall.safeParse(input)
  if (sent.success) return [sent.data.lg_tool_call]
  const messages = readMessages(input)
  const answered = new Set(
    messages.flatMap((each) => (ToolMessage.isInstance(each) ? [each.tool_call_id] : [])),
  )
  const { tool_calls = [] } = findAnswer(messages)?.message ?? {}
  return tool_calls.filter(({ id }) => id === undefined || !answered.has(id))
}

const Usage = z.object({ input_tokens: z.number(), output_tokens: z.number() })

/** Usage of the last answer only, because a thread may begin with messages of earlier sessions. Empty: the model reports none. */
export function usageIn(messages: readonly unknown[]): readonly UsageRecorded[] {
  const answer = findAnswer(messages)
  const usage = Usage.safeParse(answer?.message.usage_metadata)
  if (answer === undefined || !usage.success) return []
  return [{ evaluation_id: answer.message.id ?? `answer_${answer.index}`, ...usage.data }]
}

/** Returns false if the answer is no message of a tool, which cannot carry text. */
export function appendText(answer: unknown, texts: readonly string[]): boolean {
  if (!ToolMessage.isInstance(answer)) return false
  const { content } = answer
  if (typeof content === 'string') answer.content = [content, ...texts].join('\n\n')
  else answer.content = [...content, ...texts.map((text) => ({ type: 'text' as const, text }))]
  return true
}
