// Returns the agent to its model if it wants to end too early (specs/adapters/langchain.md). Never rejects.

import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { type JsonObject, omitUndefined } from '@signalbox/core'
import type { GuardedSession } from '@signalbox/runtime'
import { HarnessSession } from '@signalbox/runtime/harness'
import {
  type AgentMiddleware,
  createMiddleware,
  MiddlewareError,
  ToolInvocationError,
} from 'langchain'
import * as z from 'zod/v4'
import { CallGuard, type RequestedCall } from '../base/call-guard.ts'
import { LANGCHAIN_PROFILE } from './capabilities.ts'

export interface GuardOptions {
  /** Id of the sub-agent with this middleware. Absent: the main agent. */
  readonly agent?: string
}

/** Overwrites an output, which would stay accepted. LangChain's types do not provide for this. */
const WITHOUT_OUTPUT: object = { structuredResponse: undefined }

interface AgentState {
  readonly messages: readonly unknown[]
  readonly structuredResponse?: unknown
}

/** Must be the first middleware, which evaluates calls after the others changed them, and ends last. */
export function guardMiddleware(
  session: GuardedSession | HarnessSession,
  { agent }: GuardOptions = {},
): AgentMiddleware<undefined, undefined, unknown, readonly [], readonly []> {
  const harness =
    session instanceof HarnessSession ? session : new HarnessSession(session, LANGCHAIN_PROFILE)
  let pending: string[] = []
  const takePending = (): HumanMessage[] => {
    const messages = pending.map((text) => new HumanMessage(text))
    pending = []
    return messages
  }
  const calls = new CallGuard({
    session: harness,
    agent: agent ?? null,
    readError,
    deliver: (feedback, answer) => {
      pending.push(feedback)
      return answer
    },
  })
  const usage = new UsageCount(harness.session)
  return createMiddleware({
    name: 'Signalbox',
    beforeModel: () => (pending.length === 0 ? undefined : { messages: takePending() }),
    wrapModelCall: async (request, handler) => {
      const answer = await handler(request)
      await usage.add(answer)
      return answer
    },
    afterModel: async ({ messages, structuredResponse }: AgentState) => {
      if (structuredResponse === undefined) await calls.judge(openCalls(messages))
    },
    wrapToolCall: (request, handler) => {
      const { toolCall, tool, runtime } = request
      const run = {
        known: tool !== undefined,
        call: (args: JsonObject | undefined) =>
          handler(args === undefined ? request : { ...request, toolCall: { ...toolCall, args } }),
      }
      return calls.run(toolCall, run, () => runtime.signal?.aborted === true)
    },
    afterAgent: {
      canJumpTo: ['model'],
      hook: async (state: AgentState) => {
        const answer = await harness.stop(buildAttempt(state, agent))
        if (answer.allowed) return undefined
        pending.push(answer.message)
        return { ...WITHOUT_OUTPUT, messages: takePending(), jumpTo: 'model' as const }
      },
    },
  })
}

/** Each middleware in between wraps the error. */
function readError(thrown: unknown): { readonly error: unknown; readonly isInvalid: boolean } {
  if (MiddlewareError.isInstance(thrown)) return readError(thrown.cause)
  return { error: thrown, isInvalid: ToolInvocationError.isInstance(thrown) }
}

function buildAttempt({ messages, structuredResponse: output }: AgentState, agent?: string) {
  const last = messages.findLast((message) => AIMessage.isInstance(message))
  const text = last?.text ?? ''
  const whole = output === undefined ? ('turn_end' as const) : ('structured_output' as const)
  return {
    via: agent === undefined ? whole : ('subagent_end' as const),
    ...omitUndefined({ agent, output, lastMessage: text === '' ? undefined : text }),
  }
}

function openCalls(messages: readonly unknown[]): readonly RequestedCall[] {
  const at = messages.findLastIndex((message) => AIMessage.isInstance(message))
  const message = messages[at]
  if (!AIMessage.isInstance(message)) return []
  const answered = new Set(
    messages.slice(at).flatMap((each) => (ToolMessage.isInstance(each) ? [each.tool_call_id] : [])),
  )
  return (message.tool_calls ?? []).filter(({ id }) => id === undefined || !answered.has(id))
}

class UsageCount {
  readonly #session: GuardedSession
  #answers = 0

  constructor(session: GuardedSession) {
    this.#session = session
  }

  /** `answer`: of the model; LangChain wraps a structured one together with its messages. Records nothing without usage. */
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
