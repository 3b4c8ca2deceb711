// Runs tool calls in the one order that the semantics give (specs/library.md): resolve, parse, policies, deadline and budget,
// then the handler inside a transaction, then the record and the feedback. Calls may overlap.
import { randomUUID } from 'node:crypto'
import type { ToolOutcome } from '@signalbox/core'
import type { OnDiagnostic } from '../diagnostic.ts'
import { GuardrailError, messageOf } from '../guardrail-error.ts'
import type { AnyTool, PreparedCall, ToolContext } from '../prompt/tool.ts'
import { ToolResult } from '../prompt/tool-result.ts'
import { PromptEvaluationError } from '../prompt-evaluation-error.ts'
import type { GuardedSession } from '../session.ts'
import type { Exhaustion } from '../state/budget.ts'
import type { Session } from '../state/session.ts'
import type { SessionTransaction } from '../state/transaction.ts'
import type { Workspace, WorkspaceTransaction } from '../workspace/workspace.ts'
import type { CallBook, CallEnd } from './call-book.ts'

export interface ToolRequest {
  readonly tool: string
  readonly args: unknown
  /** Absent: a new one. Throws GuardrailError `invalid_value` while another call has it. */
  readonly callId?: string
  readonly signal?: AbortSignal
}

export interface ToolExecution {
  readonly callId: string
  readonly outcome: Exclude<ToolOutcome, 'unknown'>
  readonly result: ToolResult
  /** null: none is due. */
  readonly feedback: string | null
  /** What the agent reads: the result's message, then the feedback. */
  readonly text: string
}

/** The transaction of one call. */
export interface CallScope {
  readonly callId: string
  readonly signal: AbortSignal
  readonly session: SessionTransaction
  /** null: there is no workspace. */
  readonly files: WorkspaceTransaction | null
}

export interface ExecutorParts {
  readonly promptName: string
  readonly toolNamed: (name: string) => AnyTool | null
  readonly guarded: () => GuardedSession
  readonly session: Session
  readonly workspace: Workspace | null
  readonly book: CallBook
  readonly contextOf: (scope: CallScope) => ToolContext
  /** null while there is time and budget left. */
  readonly exhaustion: () => Exhaustion | null
  readonly succeeded: (callId: string, result: ToolResult) => Promise<void>
  readonly beat: () => void
  readonly now: () => number
  readonly report: OnDiagnostic
}

type Prepared = Extract<PreparedCall, { readonly ok: true }>

interface Finish extends CallEnd {
  readonly outcome: 'success' | 'failure' | 'invalid'
  readonly durationMs?: number
}

export class ToolExecutor {
  readonly #parts: ExecutorParts

  constructor(parts: ExecutorParts) {
    this.#parts = parts
  }

  /**
   * Never rejects for what the tool or the guardrails do; those are outcomes. Rejects with PromptEvaluationError, phase `tool`,
   * when the deadline or the budget is used up; the call is recorded.
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

  async #execute(request: ToolRequest, callId: string): Promise<ToolExecution> {
    const tool = this.#parts.toolNamed(request.tool)
    if (tool === null)
      return this.#finish(request, callId, invalid(`Tool '${request.tool}' is not known.`))
    const prepared = await prepare(tool, request.args)
    if (!prepared.ok) {
      const message = `The arguments of tool '${request.tool}' are not valid.\n${prepared.reason}`
      return this.#finish(request, callId, invalid(message))
    }
    const { tool: name, args } = request
    this.#parts.book.open(callId, { tool: name, args, params: prepared.params })
    const verdict = await this.#parts.guarded().beforeToolCall({ tool: name, args, callId })
    if (!verdict.allowed) {
      const message = verdict.reason ?? 'Denied by policy.'
      this.#parts.book.finish(callId, { outcome: 'denied', value: null, message })
      return executionOf({
        callId,
        outcome: 'denied',
        result: ToolResult.error(message),
        feedback: verdict.feedback,
      })
    }
    await this.#requireMeans(request, callId)
    return this.#run({ request, callId, tool, prepared })
  }

  async #requireMeans(request: ToolRequest, callId: string): Promise<void> {
    const exhausted = this.#parts.exhaustion()
    if (exhausted === null) return
    const message = sentenceOf(exhausted)
    await this.#finish(request, callId, { outcome: 'failure', value: null, message })
    const { promptName } = this.#parts
    throw new PromptEvaluationError(message, { promptName, phase: 'tool' })
  }

  async #run(call: {
    readonly request: ToolRequest
    readonly callId: string
    readonly tool: AnyTool
    readonly prepared: Prepared
  }): Promise<ToolExecution> {
    const { request, callId } = call
    const started = this.#parts.now()
    const scope: CallScope = {
      callId,
      signal: request.signal ?? new AbortController().signal,
      session: this.#parts.session.begin(),
      files: this.#parts.workspace?.begin() ?? null,
    }
    const [result, error] = await this.#handle(call, scope)
    const durationMs = Math.max(0, Math.round(this.#parts.now() - started))
    if (result.success) await this.#parts.succeeded(callId, result)
    const { message, value, success } = result
    const outcome = success ? 'success' : 'failure'
    const execution = await this.#finish(request, callId, { outcome, value, message, durationMs })
    if (error instanceof PromptEvaluationError) throw error
    return { ...execution, result }
  }

  /** The handler's result, and what it threw. What it wrote is kept exactly when the result is a success. */
  async #handle(
    { tool, prepared }: { readonly tool: AnyTool; readonly prepared: Prepared },
    scope: CallScope,
  ): Promise<readonly [result: ToolResult, error: unknown]> {
    this.#beat()
    try {
      const result: unknown = await prepared.run(this.#parts.contextOf(scope))
      if (!ToolResult.is(result)) throw new Error('It gave no ToolResult.')
      if (result.success) await commit(tool, result, scope)
      else await this.#takeBack(scope)
      return [result, null]
    } catch (error) {
      await this.#takeBack(scope)
      return [ToolResult.error(`Tool '${tool.name}' failed: ${messageOf(error)}`), error]
    } finally {
      this.#beat()
    }
  }

  async #takeBack({ session, files, callId }: CallScope): Promise<void> {
    session.discard()
    try {
      const conflicts = (await files?.rollback())?.conflicts ?? []
      if (conflicts.length === 0) return
      const message = `Call "${callId}" failed, and something else has changed what it wrote: ${conflicts.join(', ')}. These files stay as they are.`
      this.#parts.report({ level: 'warning', code: 'rollback_conflict', message })
    } catch (error) {
      const message = `Call "${callId}" failed, and not everything that it wrote could be put back: ${messageOf(error)}`
      this.#parts.report({ level: 'error', code: 'rollback_failed', message })
    }
  }

  #beat(): void {
    try {
      this.#parts.beat()
    } catch (error) {
      this.#parts.report({ level: 'error', code: 'beat_failed', message: messageOf(error) })
    }
  }

  /** Records the end of a call that was not denied, and takes the feedback. */
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
    return executionOf({ callId, outcome, result, feedback })
  }
}

async function prepare(tool: AnyTool, args: unknown): Promise<PreparedCall> {
  try {
    return await tool.prepare(args)
  } catch (error) {
    return { ok: false, reason: messageOf(error) }
  }
}

/** The session first: it can refuse, and then the files are put back too. */
async function commit(
  tool: AnyTool,
  result: ToolResult,
  { session, files }: CallScope,
): Promise<void> {
  const event = tool.eventOf(result)
  if (event !== null) session.dispatch(event)
  session.commit()
  await files?.commit()
}

function invalid(message: string): Finish {
  return { outcome: 'invalid', value: null, message }
}

function executionOf(execution: Omit<ToolExecution, 'text'>): ToolExecution {
  const parts = [execution.result.message, execution.feedback ?? '']
  return { ...execution, text: parts.filter((part) => part !== '').join('\n\n') }
}

function sentenceOf({ dimension, used, limit }: Exhaustion): string {
  if (dimension === 'deadline') return 'The deadline has passed, so no tool runs any more.'
  const what = dimension.replace('_', ' ')
  return `The budget is used up: ${used} of ${limit} ${what}, so no tool runs any more.`
}
