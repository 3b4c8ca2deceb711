// Submits the calls of each model answer before any of them runs. Shared by the agent's model and tools.

import type { AgentOutputItem, ModelRequest } from '@openai/agents'
import { omitUndefined } from '@signalbox/core'
import type { Replacement } from '@signalbox/runtime'
import {
  type HarnessSession,
  type HarnessVerdict,
  type NativeStop,
  VerdictBook,
} from '@signalbox/runtime/harness'
import { answeredIn, type Notes } from './notes.ts'
import type { ToolEnd } from './observed-tool.ts'

export interface RunGuardParts {
  readonly session: HarnessSession
  readonly notes: Notes
  /** null: the main agent. */
  readonly agent: string | null
  /** True: the agent's answer goes to an agent that called it as a tool. */
  readonly sub: boolean
}

export interface FunctionCall {
  readonly callId: string
  readonly name: string
  readonly arguments: string
}

export class RunGuard {
  readonly #parts: RunGuardParts
  readonly #verdicts: VerdictBook
  #answers = 0

  constructor(parts: RunGuardParts) {
    this.#parts = parts
    this.#verdicts = new VerdictBook(parts.session)
  }

  /** Returns the request's input with notes added. Before that, records calls that the SDK answered without running a tool. */
  async asking(request: ModelRequest): Promise<ModelRequest['input']> {
    const answered = answeredIn(request.input)
    for (const { call, verdict } of this.#verdicts.judged()) {
      const { callId } = call
      if (callId === undefined || !answered.has(callId)) continue
      this.#verdicts.forget(callId)
      if (!verdict.allowed) continue
      const outcome = isObject(call.input) ? 'denied' : 'invalid'
      const text = await this.#parts.session.settle([{ ...call, outcome }])
      if (text !== null) this.#parts.notes.add(callId, text)
    }
    return this.#parts.notes.in(request.input)
  }

  async judgeAll(output: readonly AgentOutputItem[], handoffs: ReadonlySet<string>): Promise<void> {
    for (const item of output) {
      if (item.type === 'function_call' && !handoffs.has(item.name)) await this.verdictOn(item)
    }
  }

  verdictOn(call: FunctionCall): Promise<HarnessVerdict> {
    return this.#verdicts.verdictOn(this.#native(call), call.arguments)
  }

  async ended(call: FunctionCall, end: ToolEnd, output: unknown): Promise<Replacement | null> {
    this.#verdicts.forget(call.callId)
    const { feedback, replaced } = await this.#parts.session.finish({
      ...this.#native(call),
      ...end,
      // Of a failed call too: the model reads the text that the SDK or the tool made of the error.
      output,
    })
    if (feedback !== null) this.#parts.notes.add(call.callId, feedback)
    return replaced
  }

  /** Message with which the agent must continue; null: it may stop. */
  async findBlock(attempt: {
    readonly text: string
    readonly structured: boolean
  }): Promise<string | null> {
    const { session, agent, sub } = this.#parts
    const whole: NativeStop['via'] = attempt.structured ? 'structured_output' : 'turn_end'
    const output = attempt.structured ? parsed(attempt.text) : undefined
    const answer = await session.stop({
      via: sub ? 'subagent_end' : whole,
      ...omitUndefined({
        agent: agent ?? undefined,
        output,
        lastMessage: attempt.text === '' ? undefined : attempt.text,
      }),
    })
    return answer.allowed ? null : answer.message
  }

  async used(usage: {
    readonly inputTokens: number
    readonly outputTokens: number
  }): Promise<void> {
    this.#answers += 1
    const { session, agent } = this.#parts
    await session.session.recordUsage({
      evaluation_id: `${agent ?? 'main'}_${this.#answers}`,
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
    })
  }

  #native(call: FunctionCall) {
    const { agent } = this.#parts
    return {
      tool: call.name,
      input: parseCallArguments(call),
      callId: call.callId,
      ...omitUndefined({ agent: agent ?? undefined }),
    }
  }
}

/** Arguments that are not JSON are evaluated as text. */
function parseCallArguments(call: FunctionCall): unknown {
  return parsed(call.arguments) ?? call.arguments
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}
