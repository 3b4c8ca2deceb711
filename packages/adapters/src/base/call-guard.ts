// For harnesses whose tools answer with messages of LangChain. The model reads the error of a tool that throws, as without the guard.

import { ToolMessage } from '@langchain/core/messages'
import { type JsonObject, omitUndefined } from '@signalbox/core'
import type { Replacement } from '@signalbox/runtime'
import {
  describeError,
  type HarnessSession,
  type NativeResult,
  VerdictBook,
} from '@signalbox/runtime/harness'
import { toReplacementText } from './replacement-text.ts'

export interface RequestedCall {
  readonly id?: string | undefined
  readonly name: string
  readonly args: unknown
}

export interface CallGuardParts {
  readonly session: HarnessSession
  /** Id of the sub-agent; null: the main agent. */
  readonly agent: string | null
  /** Returns the error of a tool without the harness's wrapping; `isInvalid`: the tool did not accept its arguments. */
  readonly readError: (thrown: unknown) => { readonly error: unknown; readonly isInvalid: boolean }
  /** Gives feedback to the model; with the answer, where it can carry it. */
  readonly deliver: <Answer>(feedback: string, answer: Answer) => Answer
}

export class CallGuard {
  readonly #parts: CallGuardParts
  /** Keeps a verdict until the call has ended, because a call that waits for approval arrives twice. */
  readonly #verdicts: VerdictBook

  constructor(parts: CallGuardParts) {
    this.#parts = parts
    this.#verdicts = new VerdictBook(parts.session)
  }

  async judge(calls: readonly RequestedCall[]): Promise<void> {
    for (const call of calls)
      if (call.id !== undefined) await this.#verdicts.verdictOn(this.#native(call))
  }

  /** Runs the tool if the call is allowed. Rejects only for an interrupt, which is no result of the tool, or where `rethrows`. */
  async run<Result>(
    call: RequestedCall,
    tool: {
      readonly known: boolean
      /** `args` undefined: the tool runs with the arguments of the call. */
      readonly call: (args: JsonObject | undefined) => Result | PromiseLike<Result>
    },
    rethrows: () => boolean,
  ): Promise<Result | ToolMessage> {
    const verdict = await this.#verdicts.verdictOn(this.#native(call))
    if (!verdict.allowed) {
      this.#verdicts.forget(call.id)
      return errorMessage(call, verdict.text)
    }
    const started = performance.now()
    try {
      const result = await tool.call(verdict.input)
      const durationMs = Math.round(performance.now() - started)
      return await this.#ended(call, { ...toCallOutcome(result, tool.known), durationMs }, result)
    } catch (thrown) {
      const { error, isInvalid } = this.#parts.readError(thrown)
      if (isInterrupt(error)) throw thrown
      const outcome = isInvalid || !tool.known ? 'invalid' : 'failure'
      const text = describeError(error)
      const answer = await this.#ended(call, { outcome, error: text }, errorMessage(call, text))
      if (rethrows()) throw thrown
      return answer
    }
  }

  async #ended<Answer>(
    call: RequestedCall,
    told: Omit<NativeResult, 'tool' | 'input'>,
    answer: Answer,
  ): Promise<Answer | ToolMessage> {
    this.#verdicts.forget(call.id)
    const { session, deliver } = this.#parts
    const { feedback, replaced } = await session.finish({ ...this.#native(call), ...told })
    const read = replaced === null ? answer : replacedMessage(call, { answer, replaced })
    return feedback === null ? read : deliver(feedback, read)
  }

  #native({ id, name, args }: RequestedCall) {
    const { agent } = this.#parts
    return {
      tool: name,
      input: args,
      ...omitUndefined({ callId: id, agent: agent ?? undefined }),
    }
  }
}

function toCallOutcome(
  result: unknown,
  known: boolean,
): Pick<NativeResult, 'outcome' | 'output' | 'error'> {
  // For example a command of LangGraph, with messages for the model.
  if (!ToolMessage.isInstance(result)) return { outcome: 'success', output: result }
  const { status, content } = result
  if (status !== 'error') return { outcome: 'success', output: content }
  const error = typeof content === 'string' ? content : JSON.stringify(content)
  return { outcome: known ? 'failure' : 'invalid', error }
}

/** The message without its artifact, which is not inspected. */
function replacedMessage(
  { id, name }: RequestedCall,
  { answer, replaced }: { readonly answer: unknown; readonly replaced: Replacement },
): ToolMessage {
  const isError = ToolMessage.isInstance(answer) && answer.status === 'error'
  return new ToolMessage({
    content: toReplacementText(replaced),
    tool_call_id: id ?? '',
    name,
    ...(isError ? { status: 'error' as const } : {}),
  })
}

function errorMessage({ id, name }: RequestedCall, content: string): ToolMessage {
  return new ToolMessage({ content, tool_call_id: id ?? '', name, status: 'error' })
}

/** LangGraph interrupts a run by throwing, to wait for a reviewer or to hand over. The tool is called again, or never. */
function isInterrupt(error: unknown): boolean {
  return error instanceof Error && 'is_bubble_up' in error && error.is_bubble_up === true
}
