// All calls of a step are evaluated before any of them runs. Feedback and blocked stops reach the model as user messages at the next step
// boundary (specs/adapters/ai-sdk.md). Every failure denies.
import { type GuardedSession, GuardrailError } from '@signalbox/runtime'
import { HarnessSession } from '@signalbox/runtime/harness'
import type { Experimental_Steering, ToolSet } from 'ai'
import * as sdk from 'ai'
import { AI_SDK_PROFILE } from './capabilities.ts'
import { type FinishedStep, type RequestedCall, StepGuard } from './step-guard.ts'

type Approval = undefined | 'user-approval' | { readonly type: 'denied'; readonly reason: string }

export interface GenerationGuard<Tools extends ToolSet> {
  readonly tools: Tools
  /** Sequential, so that the session records one result before the next call runs. */
  readonly toolCallConcurrency: 1
  /** A ToolLoopAgent accepts this option with each call (`generate({ experimental_steering })`), not in its settings. */
  readonly experimental_steering: Experimental_Steering
  readonly onStepEnd: (step: FinishedStep) => Promise<void>
  readonly toolApproval: (request: ApprovalRequest) => Promise<Approval>
}

export interface ApprovalRequest {
  readonly toolCall: RequestedCall
  readonly toolsContext?: unknown
  readonly messages?: unknown
}

export interface GuardOptions {
  /** Id of the sub-agent that generates. Absent: the main agent. */
  readonly agent?: string
}

/**
 * Guards one generation; a guard cannot be reused. Tools that the provider runs itself cannot be evaluated. `stopWhen` takes precedence
 * over a blocked stop; `session.end` then reports that the output is not complete. Throws GuardrailError under `ai` 6, which needs
 * guardGeneration6.
 */
export function guardGeneration<Tools extends ToolSet>(
  session: GuardedSession | HarnessSession,
  tools: Tools,
  { agent }: GuardOptions = {},
): GenerationGuard<Tools> {
  const steering = newSteering()
  const guard = new StepGuard({
    session:
      session instanceof HarnessSession ? session : new HarnessSession(session, AI_SDK_PROFILE),
    agent: agent ?? null,
    // Not awaited: the promise settles only when the run has taken the message, after this callback.
    tell: (message) => void steering.steer(message),
  })
  const wrapped = Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => [name, guard.wrap(name, tool)]),
  )
  return {
    // Names and schemas are the same; only `execute` is replaced, by a function of the same signature.
    tools: wrapped as Tools,
    toolCallConcurrency: 1,
    experimental_steering: steering,
    onStepEnd: async (step) => void (await guard.stepEnded(step)),
    toolApproval: async (request) => {
      const { toolName, toolCallId, input } = request.toolCall
      const verdict = await guard.judge({ toolName, toolCallId, input })
      return verdict.allowed
        ? ownApproval(tools[toolName], request)
        : { type: 'denied', reason: verdict.text }
    },
  }
}

/** Reads the function from the namespace: importing a name that `ai` 6 lacks would keep this whole module from loading there. */
function newSteering(): Experimental_Steering {
  if (!('experimental_createSteering' in sdk))
    throw new GuardrailError(
      'bad_options',
      'This version of `ai` does not support steering. Use guardGeneration6.',
    )
  return sdk.experimental_createSteering()
}

/** The AI SDK skips a tool's own `needsApproval` if a toolApproval function is given. undefined: needs no approval. One that throws denies. */
async function ownApproval(
  tool: ToolSet[string] | undefined,
  { toolCall, toolsContext, messages }: ApprovalRequest,
): Promise<Approval> {
  const needs: unknown = tool?.needsApproval
  if (typeof needs !== 'function') return needs === true ? 'user-approval' : undefined
  try {
    const context = findToolContext(toolsContext, toolCall.toolName)
    const { toolCallId } = toolCall
    const answer: unknown = await needs(toolCall.input, { toolCallId, messages, context })
    return answer === false ? undefined : 'user-approval'
  } catch {
    return {
      type: 'denied',
      reason: 'The need for approval could not be determined, so this call is denied.',
    }
  }
}

function findToolContext(contexts: unknown, name: string): unknown {
  if (typeof contexts !== 'object' || contexts === null || !Object.hasOwn(contexts, name))
    return undefined
  return Object.entries(contexts).find(([key]) => key === name)?.[1]
}
