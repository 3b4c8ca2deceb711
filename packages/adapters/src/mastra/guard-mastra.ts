// Options of a run that ask the guardrails (specs/adapters/mastra.md). None of them rejects, because Mastra would log the error and go on.

import type { IterationCompleteContext, OnIterationCompleteHandler } from '@mastra/core/agent'
import type { Processor } from '@mastra/core/processors'
import type { ToolHooks } from '@mastra/core/tools'
import { omitUndefined } from '@signalbox/core'
import type { GuardedSession } from '@signalbox/runtime'
import { HarnessSession, type NativeStop } from '@signalbox/runtime/harness'
import { MASTRA_PROFILE } from './capabilities.ts'
import { MastraCalls } from './mastra-calls.ts'

export interface GuardMastraOptions {
  /** Id of the sub-agent with these options. Absent: the main agent. */
  readonly agent?: string
}

type GuardProcessor = Processor &
  Required<Pick<Processor, 'processInputStep' | 'processOutputStep' | 'processToolResult'>>

/** For one run at a time. */
export interface MastraGuard {
  readonly hooks: ToolHooks
  readonly inputProcessors: [GuardProcessor]
  readonly outputProcessors: [GuardProcessor]
  readonly onIterationComplete: OnIterationCompleteHandler
}

/** Reasons for which an iteration is the last one although the agent did not want to stop. */
const NO_STOPS = new Set(['abort', 'error', 'tool-calls', 'tripwire'])

export function guardMastra(
  session: GuardedSession | HarnessSession,
  { agent }: GuardMastraOptions = {},
): MastraGuard {
  const harness =
    session instanceof HarnessSession ? session : new HarnessSession(session, MASTRA_PROFILE)
  let pending: string[] = []
  let steps = 0
  const tell = (text: string) => void pending.push(text)
  const calls = new MastraCalls({ session: harness, agent, tell })
  const processor: GuardProcessor = {
    id: 'signalbox',
    processInputStep: ({ messageList, tools }) => {
      calls.useTools(tools ?? {})
      for (const content of pending) messageList.add({ role: 'user', content }, 'input')
      pending = []
      return messageList
    },
    processOutputStep: async ({ messageList, toolCalls, usage }) => {
      steps += 1
      await harness.learn({ usage: toUsage(`step_${steps}`, usage) })
      await calls.judge(toolCalls ?? [])
      return messageList
    },
    processToolResult: ({ messageList, toolName, toolCallId, args }) => {
      const result = calls.takeReplaced(toolCallId)
      if (result === undefined) return
      const toolInvocation = { state: 'result', toolCallId, toolName, args, result } as const
      messageList.updateToolInvocation({ type: 'tool-invocation', toolInvocation })
    },
  }
  return {
    hooks: calls.hooks,
    inputProcessors: [processor],
    outputProcessors: [processor],
    onIterationComplete: async (iteration) => {
      await calls.settle(iteration.toolResults)
      if (!iteration.isFinal || NO_STOPS.has(iteration.finishReason)) return undefined
      const stop = await harness.stop(buildAttempt(iteration, agent))
      if (stop.allowed) return undefined
      // Mastra drops `feedback` of a last iteration.
      tell(stop.message)
      return { continue: true }
    },
  }
}

function buildAttempt(
  { text, finishReason }: IterationCompleteContext,
  agent: string | undefined,
): NativeStop {
  return {
    via: agent === undefined ? 'turn_end' : 'subagent_end',
    stopReason: finishReason,
    ...omitUndefined({ agent, lastMessage: text === '' ? undefined : text }),
  }
}

function toUsage(
  evaluation_id: string,
  {
    inputTokens,
    outputTokens,
  }: { readonly inputTokens: number | undefined; readonly outputTokens: number | undefined },
) {
  if (inputTokens === undefined || outputTokens === undefined) return []
  return [{ evaluation_id, input_tokens: inputTokens, output_tokens: outputTokens }]
}
