// The AI SDK (`ai` 7): judges all calls of a step before any of them runs, runs them one after the other, and steers the run
// on when a stop is blocked. Feedback and blocked stops reach the model as user messages at the next step boundary
// (specs/adapters.md). Whatever fails in here denies.
import type { CallVerdict, GuardedSession } from '@signalbox/runtime'
import { type Experimental_Steering, experimental_createSteering, type ToolSet } from 'ai'
import { type Approval, ownApproval, type RequestedCall } from './own-approval.ts'

/** What is spread into generateText, streamText or the settings of a ToolLoopAgent. */
export interface GenerationGuard<Tools extends ToolSet> {
  readonly tools: Tools
  /** One after the other, so that the session sees one result before the next call runs. */
  readonly toolCallConcurrency: 1
  /** A ToolLoopAgent takes it with each call (`generate({ experimental_steering })`), not in its settings. */
  readonly experimental_steering: Experimental_Steering
  readonly onStepEnd: (step: FinishedStep) => Promise<void>
  readonly toolApproval: (request: ApprovalRequest) => Promise<Approval>
}

export interface ApprovalRequest {
  readonly toolCall: RequestedCall
  readonly toolsContext?: unknown
  readonly messages?: unknown
}

/** The part of a step's result that matters here. */
export interface FinishedStep {
  readonly finishReason: string
  readonly text?: string
  readonly toolCalls?: readonly (RequestedCall & {
    readonly providerExecuted?: boolean | undefined
    readonly invalid?: boolean | undefined
    readonly error?: unknown
  })[]
  readonly usage?: {
    readonly inputTokens?: number | undefined
    readonly outputTokens?: number | undefined
  }
}

interface Judged {
  readonly input: string
  readonly verdict: CallVerdict
}

const NOT_DECIDED = 'The guardrails could not decide this call, so it is denied.'

const NOT_CHECKED = 'Whether the task is complete could not be checked. Try to finish again.'
/** A defect must not keep an agent running for ever. */
const MAX_FAILED_STOPS = 10

/**
 * For one generation: a guard cannot be used twice. Tools that the provider executes itself cannot be judged. `stopWhen` wins
 * over a blocked stop; `session.end` then says that the output is not complete.
 */
export function guardGeneration<Tools extends ToolSet>(
  session: GuardedSession,
  tools: Tools,
): GenerationGuard<Tools> {
  const guard = new Guard(session, tools)
  const wrapped = Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => [name, guard.wrap(name, tool)]),
  )
  return {
    // The same names, each with the same schemas; only `execute` was replaced by one of the same signature.
    tools: wrapped as Tools,
    toolCallConcurrency: 1,
    experimental_steering: guard.steering,
    onStepEnd: (step) => guard.stepEnded(step),
    toolApproval: (request) => guard.approve(request),
  }
}

class Guard {
  readonly steering: Experimental_Steering = experimental_createSteering()
  readonly #session: GuardedSession
  readonly #tools: ToolSet
  /** Allowed calls by id until they run. */
  readonly #judged = new Map<string, Judged>()
  #steps = 0
  #failedStops = 0

  constructor(session: GuardedSession, tools: ToolSet) {
    this.#session = session
    this.#tools = tools
  }

  /** Before any call of the step runs, so that two calls of one step cannot satisfy each other. */
  async approve(request: ApprovalRequest): Promise<Approval> {
    const { toolName, toolCallId, input } = request.toolCall
    const verdict = await this.#judge({ toolName, toolCallId, input })
    if (!verdict.allowed) return { type: 'denied', reason: denialText(verdict) }
    this.#judged.set(toolCallId, { input: textOf(input), verdict })
    return ownApproval(this.#tools[toolName], request)
  }

  async #judge({ toolName, toolCallId, input }: RequestedCall): Promise<CallVerdict | Denial> {
    try {
      return await this.#session.beforeToolCall({ tool: toolName, args: input, callId: toolCallId })
    } catch {
      return { allowed: false, reason: NOT_DECIDED, feedback: null }
    }
  }

  wrap(name: string, tool: ToolSet[string]): ToolSet[string] {
    const { execute } = tool
    if (execute === undefined) return tool
    const guarded: typeof execute = async (input, options) => {
      const call = { toolName: name, toolCallId: options.toolCallId, input }
      const verdict = await this.#verdictOf(call)
      if (!verdict.allowed) throw new Error(denialText(verdict))
      const started = performance.now()
      const outcome = await settled(async () => lastValue(execute.call(tool, input, options)))
      await this.#finished(call, { outcome, durationMs: performance.now() - started })
      if (outcome.ok) return outcome.value
      throw outcome.error
    }
    return { ...tool, execute: guarded }
  }

  /** Judged before, with this very input; else (a caller replaced `toolApproval`, or changed the input since) now. */
  async #verdictOf(call: RequestedCall): Promise<CallVerdict | Denial> {
    const judged = this.#judged.get(call.toolCallId)
    this.#judged.delete(call.toolCallId)
    return judged?.input === textOf(call.input) ? judged.verdict : this.#judge(call)
  }

  async #finished(
    { toolName, toolCallId, input }: RequestedCall,
    { outcome, durationMs }: { readonly outcome: Settled; readonly durationMs: number },
  ): Promise<void> {
    await this.#report({
      tool: toolName,
      args: input,
      callId: toolCallId,
      durationMs: Math.round(durationMs),
      ...(outcome.ok
        ? { outcome: 'success', output: outcome.value }
        : { outcome: 'failure', error: messageOf(outcome.error) }),
    })
  }

  async #report(result: Parameters<GuardedSession['afterToolCall']>[0]): Promise<void> {
    const { feedback } = await this.#session.afterToolCall(result)
    if (feedback !== null) this.#steer(feedback)
  }

  /** Not awaited: its promise settles only when the run has taken the message, after the callback that we are in. */
  #steer(message: string): void {
    void this.steering.steer(message)
  }

  async stepEnded(step: FinishedStep): Promise<void> {
    this.#steps += 1
    await this.#recordUsage(step)
    for (const call of step.toolCalls ?? []) if (call.invalid === true) await this.#invalid(call)
    if (isLast(step)) await this.#askToStop(step)
  }

  /** The SDK answers calls that it cannot parse itself; they count as calls. */
  async #invalid(call: NonNullable<FinishedStep['toolCalls']>[number]): Promise<void> {
    await this.#report({
      tool: call.toolName,
      args: call.input,
      callId: call.toolCallId,
      outcome: 'invalid',
      ...(call.error === undefined ? {} : { error: messageOf(call.error) }),
    })
  }

  async #recordUsage({ usage }: FinishedStep): Promise<void> {
    const { inputTokens, outputTokens } = usage ?? {}
    if (inputTokens === undefined && outputTokens === undefined) return
    await this.#session.recordUsage({
      evaluation_id: `step_${this.#steps}`,
      input_tokens: inputTokens ?? 0,
      output_tokens: outputTokens ?? 0,
    })
  }

  async #askToStop(step: FinishedStep): Promise<void> {
    const message = await this.#blockOf(step)
    if (message !== null) this.#steer(message)
  }

  /** What the agent must go on with; null when it may stop. */
  async #blockOf({ finishReason, text }: FinishedStep): Promise<string | null> {
    try {
      const answer = await this.#session.beforeStop({
        via: 'turn_end',
        stopReason: finishReason,
        ...(text === undefined || text === '' ? {} : { lastMessage: text }),
      })
      return answer.allowed ? null : answer.message
    } catch {
      this.#failedStops += 1
      return this.#failedStops > MAX_FAILED_STOPS ? null : NOT_CHECKED
    }
  }
}

interface Denial {
  readonly allowed: false
  readonly reason: string | null
  readonly feedback: string | null
}

/** The loop goes on after a step that called tools, whatever its finish reason; after any other it ends. */
function isLast({ toolCalls, finishReason }: FinishedStep): boolean {
  if (toolCalls === undefined) return finishReason !== 'tool-calls'
  return toolCalls.every((call) => call.providerExecuted === true)
}

function denialText({ reason, feedback }: CallVerdict | Denial): string {
  return [reason ?? 'Denied by policy.', feedback].filter(Boolean).join('\n\n')
}

type Settled =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: unknown }

async function settled(work: () => Promise<unknown>): Promise<Settled> {
  try {
    return { ok: true, value: await work() }
  } catch (error) {
    return { ok: false, error }
  }
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

/** Tool inputs are parsed JSON. */
function textOf(input: unknown): string {
  return JSON.stringify(input) ?? ''
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
