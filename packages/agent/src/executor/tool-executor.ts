// Order of specs/library.md: resolve, parse, policies, deadline and budget, then the handler in a transaction, then record and feedback.
import { randomUUID } from 'node:crypto'
import type { ToolOutcome } from '@signalbox/core'
import type { GuardedSession } from '@signalbox/runtime'
import { PromptEvaluationError } from '@signalbox/runtime'
import { describeError, GuardrailError } from '@signalbox/runtime/base'
import type { AnyTool, PreparedCall } from '../prompt/tool.ts'
import { ToolResult } from '../prompt/tool-result.ts'
import type { Exhaustion } from '../state/budget.ts'
import type { CallBook, CallEnd } from './call-book.ts'
import { type ReadyCall, ToolRun, type ToolRunParts } from './tool-run.ts'

export interface ToolRequest {
  readonly tool: string
  readonly args: unknown
  /** Absent: a new id. An id of a call that is still running is refused with GuardrailError `invalid_value`. */
  readonly callId?: string
  readonly signal?: AbortSignal
}

export interface ParsedRequest {
  readonly tool: string
  /** Parameters from the tool's own `prepare`, which the guardrails have evaluated. */
  readonly params: unknown
  readonly callId: string
  readonly signal?: AbortSignal
}

export interface ToolExecution {
  readonly callId: string
  readonly outcome: Exclude<ToolOutcome, 'unknown'>
  readonly result: ToolResult
  /** null: none is due. */
  readonly feedback: string | null
  /** Text for the agent: the result's message, then the feedback. */
  readonly text: string
}

export interface ExecutorParts extends ToolRunParts {
  readonly promptName: string
  readonly toolNamed: (name: string) => AnyTool | null
  readonly guarded: () => GuardedSession
  readonly book: CallBook
  /** null: time and budget are left. */
  readonly exhaustion: () => Exhaustion | null
  readonly now: () => number
}

interface Finish extends CallEnd {
  readonly outcome: 'success' | 'failure' | 'invalid'
  readonly durationMs?: number
}

export class ToolExecutor {
  readonly #parts: ExecutorParts
  readonly #runs: ToolRun

  constructor(parts: ExecutorParts) {
    this.#parts = parts
    this.#runs = new ToolRun(parts)
  }

  /**
   * Runs one call. Results of the tool and the guardrails are outcomes, never errors. Rejects with PromptEvaluationError, phase `tool`, if
   * the deadline or the budget is exhausted, and with the handler's own PromptEvaluationError; the call is recorded, and its feedback is
   * part of the error.
   */
  async execute(request: ToolRequest): Promise<ToolExecution> {
    const callId = request.callId ?? `call_${randomUUID()}`
    const { book } = this.#parts
    if (book.get(callId) !== null)
      throw new GuardrailError('invalid_value', `The call "${callId}" is still running.`)
    book.open(callId, { tool: request.tool, args: request.args, params: request.args })
    try {
      return await this.#execute(request, callId)
    } finally {
      book.close(callId)
    }
  }

  /** For an adapter that calls the guardrails before and after. Rejects with PromptEvaluationError as `execute` does. */
  async perform(request: ParsedRequest): Promise<ToolResult> {
    const { tool: name, params, callId } = request
    const tool = this.#parts.toolNamed(name)
    if (tool === null) return ToolResult.error(`Tool '${name}' is not known.`)
    const exhausted = this.#exhausted()
    if (exhausted !== null) throw exhausted
    this.#parts.book.open(callId, { tool: name, args: params, params })
    const prepared = tool.resume(params)
    const signal = resolveSignal(request)
    const [result, error] = await this.#runs.run({ callId, tool, prepared, signal })
    if (error instanceof PromptEvaluationError) throw error
    return result
  }

  async #execute(request: ToolRequest, callId: string): Promise<ToolExecution> {
    const tool = this.#parts.toolNamed(request.tool)
    if (tool === null)
      return this.#finish(request, callId, invalid(`Tool '${request.tool}' is not known.`))
    const prepared = await prepare(tool, request.args)
    if (!prepared.ok)
      return this.#finish(
        request,
        callId,
        invalid(formatArgumentRefusal(request.tool, prepared.reason)),
      )
    // The guardrails evaluate the handler's input, so that no default or coercion of the schema escapes a policy.
    const parsed = { tool: request.tool, args: prepared.params }
    this.#parts.book.open(callId, { ...parsed, params: prepared.params })
    const verdict = await this.#parts.guarded().beforeToolCall({ ...parsed, callId })
    if (!verdict.allowed) {
      const message = verdict.reason
      this.#parts.book.finish(callId, { outcome: 'denied', value: null, message })
      return toToolExecution({
        callId,
        outcome: 'denied',
        result: ToolResult.error(message),
        feedback: verdict.feedback,
      })
    }
    const exhausted = this.#exhausted()
    if (exhausted !== null) {
      const { message } = exhausted
      const end: Finish = { outcome: 'failure', value: null, message }
      const { feedback } = await this.#finish(request, callId, end)
      throw exhausted.with(feedback)
    }
    return this.#run(request, { callId, tool, prepared, signal: resolveSignal(request) })
  }

  #exhausted(): PromptEvaluationError | null {
    const exhaustion = this.#parts.exhaustion()
    if (exhaustion === null) return null
    const { promptName } = this.#parts
    return new PromptEvaluationError(describeExhaustion(exhaustion), { promptName, phase: 'tool' })
  }

  async #run(request: ToolRequest, call: ReadyCall): Promise<ToolExecution> {
    const { callId } = call
    const started = this.#parts.now()
    const [result, error] = await this.#runs.run(call)
    const durationMs = Math.max(0, Math.round(this.#parts.now() - started))
    const { message, value, success } = result
    const outcome = success ? 'success' : 'failure'
    const execution = await this.#finish(request, callId, { outcome, value, message, durationMs })
    if (error instanceof PromptEvaluationError) throw error.with(execution.feedback)
    return { ...execution, result }
  }

  async #finish(request: ToolRequest, callId: string, end: Finish): Promise<ToolExecution> {
    const { outcome, value, message, durationMs } = end
    this.#parts.book.finish(callId, end)
    const { tool, args } = request
    const { feedback } = await this.#parts.guarded().afterToolCall({
      tool,
      args,
      callId,
      outcome,
      ...(outcome === 'success' ? { output: value ?? message } : { error: message }),
      ...(durationMs === undefined ? {} : { durationMs }),
    })
    const success = outcome === 'success'
    const result = new ToolResult({ success, message, value: success ? value : null })
    return toToolExecution({ callId, outcome, result, feedback })
  }
}

async function prepare(tool: AnyTool, args: unknown): Promise<PreparedCall> {
  try {
    return await tool.prepare(args)
  } catch (error) {
    return { ok: false, reason: describeError(error) }
  }
}

function formatArgumentRefusal(tool: string, reason: string): string {
  return `The arguments of tool '${tool}' are not valid.\n${reason}`
}

function resolveSignal({ signal }: Pick<ToolRequest, 'signal'>): AbortSignal {
  return signal ?? new AbortController().signal
}

function invalid(message: string): Finish {
  return { outcome: 'invalid', value: null, message }
}

function toToolExecution(execution: Omit<ToolExecution, 'text'>): ToolExecution {
  const parts = [execution.result.message, execution.feedback ?? '']
  return { ...execution, text: parts.filter((part) => part !== '').join('\n\n') }
}

function describeExhaustion({ dimension, used, limit }: Exhaustion): string {
  if (dimension === 'deadline') return 'The deadline has passed, so no more tools can run.'
  const what = dimension.replace('_', ' ')
  return `The budget is used up: ${used} of ${limit} ${what}, so no more tools can run.`
}
