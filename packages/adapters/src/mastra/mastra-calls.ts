import type { ToolHookContext, ToolHooks } from '@mastra/core/tools'
import { isJsonObject, type JsonObject, omitUndefined } from '@signalbox/core'
import type { Replacement } from '@signalbox/runtime'
import {
  describeError,
  type HarnessSession,
  type NativeCall,
  type NativeResult,
  VerdictBook,
} from '@signalbox/runtime/harness'
import { toReplacementText } from '../base/replacement-text.ts'

interface MastraCallsParts {
  readonly session: HarnessSession
  /** Id of the sub-agent. Absent: the main agent. */
  readonly agent: string | undefined
  readonly tell: (text: string) => void
}

/** Tools of a step, as Mastra gives them to processors. */
type StepTools = Readonly<Record<string, unknown>>

export class MastraCalls {
  readonly #parts: MastraCallsParts
  readonly #verdicts: VerdictBook
  /** Calls that wait for somebody: Mastra calls their tools again, or never. */
  readonly #suspended = new Set<string>()
  readonly #replaced = new Map<string, unknown>()
  #tools: StepTools = {}

  constructor(parts: MastraCallsParts) {
    this.#parts = parts
    this.#verdicts = new VerdictBook(parts.session)
  }

  readonly hooks: ToolHooks = {
    beforeToolCall: async (context) => {
      const call = this.#native(context)
      const verdict = await this.#verdicts.verdictOn(call)
      if (verdict.allowed) {
        if (verdict.input !== undefined) setFields(context.input, verdict.input)
        return this.#noteSuspension(context, call.callId)
      }
      this.#verdicts.forget(call.callId)
      return { proceed: false, output: verdict.text }
    },
    afterToolCall: async ({ output, error, ...context }) => {
      const call = this.#native(context)
      if (call.callId !== undefined && this.#suspended.delete(call.callId)) return
      const replaced = await this.#ended({ ...call, ...toCallOutcome(output, error) })
      if (replaced === null) return
      // The error replaces that of the tool, and the whole result of a tool whose result does not pass the processors.
      if (error !== undefined || call.callId === undefined || !this.#passesProcessors(call.tool))
        throw new Error(toReplacementText(replaced))
      this.#replaced.set(call.callId, replaced.output ?? replaced.error ?? null)
    },
  }

  /** Result that the model must read instead of that of the call; undefined: that of the call. */
  takeReplaced(callId: string): unknown {
    const value = this.#replaced.get(callId)
    this.#replaced.delete(callId)
    return value
  }

  useTools(tools: StepTools): void {
    this.#tools = tools
  }

  /** Before any call of the step runs. Calls that Mastra does not run itself have no hook, and are left out. */
  async judge(
    calls: readonly { toolName: string; toolCallId: string; args: unknown }[],
  ): Promise<void> {
    for (const { toolName, toolCallId, args } of calls) {
      const tool = this.#tools[toolName]
      if (tool !== undefined && !hasExecute(tool)) continue
      await this.#verdicts.verdictOn(this.#identify(toolName, args, toolCallId))
    }
  }

  /** Reports the calls of a finished step that Mastra answered without running a tool. */
  async settle(results: readonly { id: string; result: unknown }[]): Promise<void> {
    for (const { call } of this.#verdicts.judged()) {
      const answer = results.find(({ id }) => id === call.callId)
      if (answer === undefined) continue
      const outcome = this.#tools[call.tool] === undefined ? 'invalid' : 'denied'
      const error = typeof answer.result === 'string' ? answer.result : undefined
      await this.#ended({ ...call, outcome, ...omitUndefined({ error }) })
    }
  }

  async #ended(result: NativeResult): Promise<Replacement | null> {
    this.#verdicts.forget(result.callId)
    const { session, tell } = this.#parts
    const { feedback, replaced } = await session.finish(result)
    if (feedback !== null) tell(feedback)
    return replaced
  }

  /** False: the model reads what the tool makes of its result, or the result arrives later. */
  #passesProcessors(name: string): boolean {
    const tool = this.#tools[name]
    if (typeof tool !== 'object' || tool === null) return false
    return !['toModelOutput', 'backgroundConfig'].some((field) => Reflect.get(tool, field))
  }

  #noteSuspension({ context }: ToolHookContext, callId: string | undefined): void {
    if (!hasSuspend(context) || callId === undefined) return
    const { suspend } = context
    context.suspend = (...payload) => {
      this.#suspended.add(callId)
      return suspend(...payload)
    }
  }

  #native({ toolName, input, context }: ToolHookContext): NativeCall {
    return this.#identify(toolName, input, readCallId(context))
  }

  #identify(tool: string, input: unknown, callId: string | undefined): NativeCall {
    return { tool, input, ...omitUndefined({ callId, agent: this.#parts.agent }) }
  }
}

function toCallOutcome(
  output: unknown,
  error: unknown,
): Pick<NativeResult, 'outcome' | 'output' | 'error'> {
  if (error !== undefined) return { outcome: 'failure', error: describeError(error) }
  // Mastra's answer to arguments that the tool does not accept; the tool did not run.
  if (isJsonObject(output) && output['error'] === true && 'validationErrors' in output)
    return { outcome: 'invalid', error: String(output['message']) }
  return { outcome: 'success', output }
}

/** Mastra runs the tool with this object, and ignores another one in its place. */
function setFields(input: unknown, fields: JsonObject): void {
  if (typeof input !== 'object' || input === null) return
  for (const name of Object.keys(input)) Reflect.deleteProperty(input, name)
  Object.assign(input, fields)
}

function hasExecute(tool: unknown): boolean {
  return typeof tool === 'object' && tool !== null && 'execute' in tool && Boolean(tool.execute)
}

type Suspend = (...payload: readonly unknown[]) => unknown

function hasSuspend(context: unknown): context is { suspend: Suspend } {
  return (
    typeof context === 'object' &&
    context !== null &&
    'suspend' in context &&
    typeof context.suspend === 'function'
  )
}

/** undefined: the hook names no call. */
function readCallId(context: unknown): string | undefined {
  if (typeof context !== 'object' || context === null || !('toolCallId' in context))
    return undefined
  return typeof context.toolCallId === 'string' ? context.toolCallId : undefined
}
