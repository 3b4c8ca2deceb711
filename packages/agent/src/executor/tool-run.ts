// The writes of a handler are kept only if its result is a success and no policy fails on it.
import type { OnDiagnostic } from '@signalbox/runtime/base'
import { describeError } from '@signalbox/runtime/base'
import type { AnyTool, Prepared, ToolContext } from '../prompt/tool.ts'
import { ToolResult } from '../prompt/tool-result.ts'
import type { Session } from '../state/session.ts'
import type { SessionTransaction } from '../state/transaction.ts'
import type { Workspace, WorkspaceTransaction } from '../workspace/workspace.ts'

export interface CallScope {
  readonly callId: string
  readonly signal: AbortSignal
  readonly session: SessionTransaction
  /** null: there is no workspace. */
  readonly files: WorkspaceTransaction | null
}

export interface ReadyCall {
  readonly callId: string
  readonly tool: AnyTool
  readonly prepared: Prepared
  readonly signal: AbortSignal
}

export interface ToolRunParts {
  readonly session: Session
  /** null: there is no workspace. */
  readonly workspace: Workspace | null
  readonly createToolContext: (scope: CallScope) => ToolContext
  /** Notifies policies of a success before the commit. Rejects if a policy fails; then nothing is committed. */
  readonly succeeded: (scope: CallScope, result: ToolResult) => Promise<void>
  readonly report: OnDiagnostic
}

export class ToolRun {
  readonly #parts: ToolRunParts

  constructor(parts: ToolRunParts) {
    this.#parts = parts
  }

  async run({
    callId,
    tool,
    prepared,
    signal,
  }: ReadyCall): Promise<readonly [result: ToolResult, error: unknown]> {
    const { session, workspace } = this.#parts
    const files = workspace?.begin() ?? null
    const scope = { callId, signal, session: session.begin(), files }
    try {
      const result: unknown = await prepared.run(this.#parts.createToolContext(scope))
      if (!ToolResult.is(result)) throw new Error('The handler returned no ToolResult.')
      if (result.success) await this.#keep(tool, result, scope)
      else await this.#takeBack(scope)
      return [result, null]
    } catch (error) {
      await this.#takeBack(scope)
      return [ToolResult.error(`Tool '${tool.name}' failed: ${describeError(error)}`), error]
    }
  }

  /** Commits the session first: it can refuse, and then the files are restored, too. */
  async #keep(tool: AnyTool, result: ToolResult, scope: CallScope): Promise<void> {
    const event = tool.toEvent(result)
    if (event !== null) scope.session.dispatch(event)
    await this.#parts.succeeded(scope, result)
    scope.session.commit()
    await scope.files?.commit()
  }

  async #takeBack({ session, files, callId }: CallScope): Promise<void> {
    session.discard()
    try {
      const conflicts = (await files?.rollback())?.conflicts ?? []
      if (conflicts.length === 0) return
      const message = `Call "${callId}" failed, and something else has changed what it wrote: ${conflicts.join(', ')}. These files stay as they are.`
      this.#parts.report({ level: 'warning', code: 'rollback_conflict', message })
    } catch (error) {
      const message = `Call "${callId}" failed, and not everything that it wrote could be restored: ${describeError(error)}`
      this.#parts.report({ level: 'error', code: 'rollback_failed', message })
    }
  }
}
