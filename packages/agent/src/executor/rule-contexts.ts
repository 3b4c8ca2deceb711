import { type JsonObject, omitUndefined, type StopVia } from '@signalbox/core'
import type {
  CheckQuestion,
  FeedbackQuestion,
  JudgeOptions,
  PolicyQuestion,
} from '@signalbox/runtime'
import type { OnDiagnostic } from '@signalbox/runtime/base'
import { describeError } from '@signalbox/runtime/base'
import type { TaskCompletionContext } from '../prompt/completion.ts'
import type { RuleHost } from '../prompt/custom-answers.ts'
import { FeedbackContext } from '../prompt/feedback-context.ts'
import type { PromptInfo } from '../prompt/prompt-info.ts'
import type { Resources } from '../prompt/resources.ts'
import type { PolicyCall, PolicyContext, ToolPolicy } from '../prompt/tool-policy.ts'
import type { ToolResult } from '../prompt/tool-result.ts'
import type { Deadline } from '../state/deadline.ts'
import type { Session } from '../state/session.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { CallBook } from './call-book.ts'
import type { CallScope } from './tool-run.ts'

const REASONS = {
  turn_end: 'end_turn',
  structured_output: 'structured_output',
  subagent_end: 'subagent_end',
  final: 'final',
} as const satisfies { readonly [Via in StopVia]: string }

export interface RuleContextParts {
  readonly prompt: PromptInfo
  readonly session: Session
  readonly workspace: Workspace | null
  readonly deadline: Deadline | null
  readonly resources: Resources
  readonly judge: JudgeOptions | null
  readonly book: CallBook
  readonly report: OnDiagnostic
}

export class RuleContexts implements RuleHost {
  readonly #parts: RuleContextParts
  /** Stop under evaluation; null: none. */
  #attempt: { readonly output: unknown } | null = null
  #stops: Promise<unknown> = Promise.resolve()

  constructor(parts: RuleContextParts) {
    this.#parts = parts
  }

  /** Gives checkers the unredacted output while `judge` runs; the log has it redacted. Stops are evaluated one after the other. */
  withOutput<Result>(output: unknown, judge: () => Promise<Result>): Promise<Result> {
    const judged = this.#stops.then(async () => {
      this.#attempt = { output }
      try {
        return await judge()
      } finally {
        this.#attempt = null
      }
    })
    this.#stops = judged.catch(() => undefined)
    return judged
  }

  policyCall({ callId, tool, args }: PolicyQuestion): PolicyCall {
    const open = this.#parts.book.get(callId)
    return { tool, callId, params: open === null ? args : open.params }
  }

  policyContext({ params }: PolicyQuestion): PolicyContext {
    return this.#policyView(params)
  }

  /** The policies see the writes of the call. Rejects with the error of the first policy that throws. */
  async succeeded(
    policies: readonly ToolPolicy[],
    { callId, session, files }: CallScope,
    result: ToolResult,
  ): Promise<void> {
    const call = this.#parts.book.get(callId)
    if (call === null) return
    const finished = { tool: call.tool, params: call.params, callId, result }
    for (const policy of policies) {
      try {
        const view = this.#policyView(policy.params ?? {})
        const seen = { ...view, session, filesystem: files ?? view.filesystem }
        await policy.onResult?.(finished, seen)
      } catch (error) {
        const message = `The policy "${policy.name}" failed on a result: ${describeError(error)}`
        this.#parts.report({ level: 'error', code: 'policy_result_failed', message })
        throw new Error(message, { cause: error })
      }
    }
  }

  #policyView(settings: JsonObject): PolicyContext {
    const { prompt, session, workspace: filesystem, resources, deadline } = this.#parts
    return { prompt, session, filesystem, resources, deadline, settings }
  }

  feedbackContext({ call, params: settings }: FeedbackQuestion): FeedbackContext {
    this.#parts.book.observe(call)
    const { prompt, session, workspace: filesystem, resources, deadline } = this.#parts
    return new FeedbackContext({ prompt, session, filesystem, resources, deadline, settings })
  }

  checkContext({ stop }: CheckQuestion): TaskCompletionContext {
    const { session, workspace, judge } = this.#parts
    const attempt = this.#attempt ?? { output: stop.output }
    return {
      session,
      ...omitUndefined({
        tentativeOutput: attempt.output,
        filesystem: workspace ?? undefined,
        adapter: judge ?? undefined,
      }),
      via: stop.via,
      stopReason: stop.stop_reason ?? REASONS[stop.via],
    }
  }
}
