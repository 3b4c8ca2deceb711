// The model reads the error of a tool that throws, as in LangChain without this middleware.

import { ToolMessage } from '@langchain/core/messages'
import { omitUndefined } from '@signalbox/core'
import {
  describeError,
  type HarnessSession,
  type NativeResult,
  VerdictBook,
} from '@signalbox/runtime/harness'
import { MiddlewareError, ToolInvocationError } from 'langchain'

export interface RequestedCall {
  readonly id?: string | undefined
  readonly name: string
  readonly args: unknown
}

export interface CallGuardParts {
  readonly session: HarnessSession
  /** Id of the sub-agent; null: the main agent. */
  readonly agent: string | null
  readonly tell: (message: string) => void
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

  /** Runs the tool if the call is allowed. Rejects only for an interrupt or an aborted run, which are not results of the tool. */
  async run<Result>(
    call: RequestedCall,
    tool: { readonly known: boolean; readonly call: () => Result | PromiseLike<Result> },
    aborted: () => boolean,
  ): Promise<Result | ToolMessage> {
    const verdict = await this.#verdicts.verdictOn(this.#native(call))
    if (!verdict.allowed) {
      this.#verdicts.forget(call.id)
      return errorMessage(call, verdict.text)
    }
    const started = performance.now()
    try {
      const result = await tool.call()
      const durationMs = Math.round(performance.now() - started)
      await this.#ended(call, { ...toCallOutcome(result, tool.known), durationMs })
      return result
    } catch (thrown) {
      const error = unwrapCause(thrown)
      if (isInterrupt(error)) throw thrown
      const outcome = ToolInvocationError.isInstance(error) ? 'invalid' : 'failure'
      await this.#ended(call, { outcome, error: describeError(error) })
      if (aborted()) throw thrown
      return errorMessage(call, describeError(error))
    }
  }

  async #ended(call: RequestedCall, told: Omit<NativeResult, 'tool' | 'input'>): Promise<void> {
    this.#verdicts.forget(call.id)
    const feedback = await this.#parts.session.after({ ...this.#native(call), ...told })
    if (feedback !== null) this.#parts.tell(feedback)
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
  if (!ToolMessage.isInstance(result)) return { outcome: 'success' }
  const { status, content } = result
  if (status !== 'error') return { outcome: 'success', output: content }
  const error = typeof content === 'string' ? content : JSON.stringify(content)
  return { outcome: known ? 'failure' : 'invalid', error }
}

function errorMessage({ id, name }: RequestedCall, content: string): ToolMessage {
  return new ToolMessage({ content, tool_call_id: id ?? '', name, status: 'error' })
}

/** LangGraph interrupts a run by throwing, to wait for a reviewer or to hand over. The tool is called again, or never. */
function isInterrupt(error: unknown): boolean {
  return error instanceof Error && 'is_bubble_up' in error && error.is_bubble_up === true
}

/** Each middleware in between wraps the error. */
function unwrapCause(error: unknown): unknown {
  return MiddlewareError.isInstance(error) ? unwrapCause(error.cause) : error
}
