// A step without local calls is a stop attempt.
import type { Replacement } from '@signalbox/runtime'
import {
  describeError,
  type HarnessSession,
  type HarnessVerdict,
  VerdictBook,
} from '@signalbox/runtime/harness'
import type { ToolSet } from 'ai'

export interface RequestedCall {
  readonly toolCallId: string
  readonly toolName: string
  readonly input?: unknown
}

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

export interface StepGuardParts {
  readonly session: HarnessSession
  /** Id of the sub-agent that generates; null: the main agent. */
  readonly agent: string | null
  readonly tell: (message: string) => void
}

export class StepGuard {
  readonly #parts: StepGuardParts
  readonly #verdicts: VerdictBook
  #steps = 0

  constructor(parts: StepGuardParts) {
    this.#parts = parts
    this.#verdicts = new VerdictBook(parts.session)
  }

  /** Evaluates a call. Must happen before any call of the step runs, so that two calls of one step cannot satisfy each other. */
  judge(call: RequestedCall): Promise<HarnessVerdict> {
    return this.#verdicts.judge(this.#native(call))
  }

  /** Returns the same tool, which runs only with a verdict for the call. Returns a tool without `execute` unchanged. */
  wrap(name: string, tool: ToolSet[string]): ToolSet[string] {
    const { execute } = tool
    if (execute === undefined) return tool
    const guarded: typeof execute = async (input, options) => {
      const call = { toolName: name, toolCallId: options.toolCallId, input }
      // The host may have replaced the guard's function, or changed the input meanwhile.
      const verdict = await this.#verdicts.verdictOn(this.#native(call))
      this.#verdicts.forget(call.toolCallId)
      if (!verdict.allowed) throw new Error(verdict.text)
      const started = performance.now()
      const given = verdict.input ?? input
      const outcome = await settled(async () => lastValue(execute.call(tool, given, options)))
      const durationMs = performance.now() - started
      const replaced = await this.#finished(call, { outcome, durationMs })
      if (outcome.ok) return replaced === null ? outcome.value : replaced.output
      throw replaced === null ? outcome.error : new Error(replaced.error)
    }
    return { ...tool, execute: guarded }
  }

  /** True: the agent wanted to stop and has to continue. */
  async stepEnded(step: FinishedStep): Promise<boolean> {
    this.#steps += 1
    await this.#recordUsage(step)
    for (const call of step.toolCalls ?? []) if (call.invalid === true) await this.#invalid(call)
    return isLast(step) ? this.#blocked(step) : false
  }

  #native({ toolName, toolCallId, input }: RequestedCall) {
    return { tool: toolName, input, callId: toolCallId, ...this.#agent() }
  }

  #agent(): { readonly agent?: string } {
    const { agent } = this.#parts
    return agent === null ? {} : { agent }
  }

  async #finished(
    call: RequestedCall,
    { outcome, durationMs }: { readonly outcome: Settled; readonly durationMs: number },
  ): Promise<Replacement | null> {
    const { feedback, replaced } = await this.#parts.session.finish({
      ...this.#native(call),
      durationMs: Math.round(durationMs),
      ...(outcome.ok
        ? { outcome: 'success', output: outcome.value }
        : { outcome: 'failure', error: describeError(outcome.error) }),
    })
    if (feedback !== null) this.#parts.tell(feedback)
    return replaced
  }

  /** The SDK itself answers calls that it cannot parse. They count as calls. */
  async #invalid(call: NonNullable<FinishedStep['toolCalls']>[number]): Promise<void> {
    const feedback = await this.#parts.session.after({
      ...this.#native(call),
      outcome: 'invalid',
      ...(call.error === undefined ? {} : { error: describeError(call.error) }),
    })
    if (feedback !== null) this.#parts.tell(feedback)
  }

  async #recordUsage({ usage }: FinishedStep): Promise<void> {
    const { inputTokens, outputTokens } = usage ?? {}
    if (inputTokens === undefined && outputTokens === undefined) return
    await this.#parts.session.session.recordUsage({
      evaluation_id: `step_${this.#steps}`,
      input_tokens: inputTokens ?? 0,
      output_tokens: outputTokens ?? 0,
    })
  }

  async #blocked({ finishReason, text }: FinishedStep): Promise<boolean> {
    const { session, agent, tell } = this.#parts
    const answer = await session.stop({
      via: agent === null ? 'turn_end' : 'subagent_end',
      stopReason: finishReason,
      ...this.#agent(),
      ...(text === undefined || text === '' ? {} : { lastMessage: text }),
    })
    if (!answer.allowed) tell(answer.message)
    return !answer.allowed
  }
}

/** The loop continues after a step that called tools, regardless of the finish reason, and ends after any other step. */
function isLast({ toolCalls, finishReason }: FinishedStep): boolean {
  if (toolCalls === undefined) return finishReason !== 'tool-calls'
  return toolCalls.every((call) => call.providerExecuted === true)
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

async function lastValue(result: unknown): Promise<unknown> {
  if (!isAsyncIterable(result)) return result
  let last: unknown
  for await (const value of result) last = value
  return last
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
