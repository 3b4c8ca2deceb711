// The AI SDK (`ai` 7): wraps the tools' execute functions, which run one after the other, and steers the run on when a stop is
// blocked. Feedback and blocked stops reach the model as user messages at the next step boundary.
import type { GuardedSession } from '@signalbox/runtime'
import { type Experimental_Steering, experimental_createSteering, type ToolSet } from 'ai'

/** What is spread into generateText, streamText or an agent call. */
export interface GenerationGuard<Tools extends ToolSet> {
  readonly tools: Tools
  /** One after the other: a call may depend on the one before it in the same step. */
  readonly toolCallConcurrency: 1
  readonly experimental_steering: Experimental_Steering
  readonly onStepEnd: (step: FinishedStep) => Promise<void>
  readonly toolApproval: (request: { readonly toolCall: RequestedCall }) => Promise<Approval>
}

interface RequestedCall {
  readonly toolCallId: string
  readonly toolName: string
  readonly input?: unknown
}

type Approval = undefined | { readonly type: 'denied'; readonly reason: string }

/** The part of a step's result that matters here. */
export interface FinishedStep {
  readonly finishReason: string
  readonly text?: string
  readonly stepNumber?: number
  readonly usage?: {
    readonly inputTokens?: number | undefined
    readonly outputTokens?: number | undefined
  }
}

/**
 * For one generation: a guard cannot be used twice. Tools without `execute` are judged by toolApproval; tools that the
 * provider executes itself cannot be judged (specs/adapters.md). `stopWhen` wins over a blocked stop.
 */
export function guardGeneration<Tools extends ToolSet>(
  session: GuardedSession,
  tools: Tools,
): GenerationGuard<Tools> {
  const steering = experimental_createSteering()
  const wrapped = Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => [name, wrap(session, { name, tool, steering })]),
  )
  let steps = 0
  return {
    // The same names, each with the same schemas; only `execute` was replaced by one of the same signature.
    tools: wrapped as Tools,
    toolCallConcurrency: 1,
    experimental_steering: steering,
    onStepEnd: async (step) => {
      steps += 1
      await recordUsage(session, step, steps)
      if (step.finishReason !== 'tool-calls') await askToStop(session, steering, step)
    },
    toolApproval: ({ toolCall }) => approve(session, tools[toolCall.toolName], toolCall),
  }
}

async function recordUsage(
  session: GuardedSession,
  step: FinishedStep,
  number: number,
): Promise<void> {
  const { inputTokens, outputTokens } = step.usage ?? {}
  if (inputTokens === undefined && outputTokens === undefined) return
  await session.recordUsage({
    evaluation_id: `step_${number}`,
    input_tokens: inputTokens ?? 0,
    output_tokens: outputTokens ?? 0,
  })
}

async function askToStop(
  session: GuardedSession,
  steering: Experimental_Steering,
  step: FinishedStep,
): Promise<void> {
  const answer = await session.beforeStop({
    via: 'turn_end',
    stopReason: step.finishReason,
    ...(step.text === undefined || step.text === '' ? {} : { lastMessage: step.text }),
  })
  // Not awaited: its promise settles only when the run has taken the message, after this callback.
  if (!answer.allowed && answer.message !== null) void steering.steer(answer.message)
}

interface Wrapped {
  readonly name: string
  readonly tool: ToolSet[string]
  readonly steering: Experimental_Steering
}

function wrap(session: GuardedSession, { name, tool, steering }: Wrapped): ToolSet[string] {
  const { execute } = tool
  if (execute === undefined) return tool
  const guarded: typeof execute = async (input, options) => {
    const call = { tool: name, args: input, callId: options.toolCallId }
    const verdict = await session.beforeToolCall(call)
    if (!verdict.allowed) throw new Error(denialText(verdict.reason, verdict.feedback))
    const started = performance.now()
    const duration = () => Math.round(performance.now() - started)
    try {
      const output: unknown = await lastValue(execute(input, options))
      const after = await session.afterToolCall({
        ...call,
        outcome: 'success',
        output,
        durationMs: duration(),
      })
      if (after.feedback !== null) void steering.steer(after.feedback)
      return output
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error)
      const after = await session.afterToolCall({
        ...call,
        outcome: 'failure',
        error: text,
        durationMs: duration(),
      })
      if (after.feedback !== null) void steering.steer(after.feedback)
      throw error
    }
  }
  return { ...tool, execute: guarded }
}

function denialText(reason: string | null, feedback: string | null): string {
  return [reason ?? 'Denied by policy.', feedback].filter(Boolean).join('\n\n')
}

/** A tool may stream preliminary results; the last one is its result. */
async function lastValue(result: unknown): Promise<unknown> {
  if (!isAsyncIterable(result)) return result
  let last: unknown
  for await (const value of result) last = value
  return last
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

/** Only for tools that run elsewhere; the others are judged when they are executed, in their order. */
async function approve(
  session: GuardedSession,
  tool: ToolSet[string] | undefined,
  { toolName, toolCallId, input }: RequestedCall,
): Promise<Approval> {
  if (tool?.execute !== undefined) return undefined
  const verdict = await session.beforeToolCall({ tool: toolName, args: input, callId: toolCallId })
  if (verdict.allowed) return undefined
  return { type: 'denied', reason: denialText(verdict.reason, verdict.feedback) }
}
