// Any object with a `check` method is a checker.
import type { JsonObject, StopVia } from '@signalbox/core'
import type { JudgeOptions } from '@signalbox/runtime'
import type { SessionAccess } from '../state/session-access.ts'
import type { WorkspaceAccess } from '../workspace/workspace.ts'

export class TaskCompletionResult {
  readonly complete: boolean
  /** Message to the agent if the task is incomplete; null: the default message. */
  readonly feedback: string | null

  private constructor(complete: boolean, feedback: string | null) {
    this.complete = complete
    this.feedback = feedback
  }

  static ok(feedback: string | null = null): TaskCompletionResult {
    return new TaskCompletionResult(true, feedback)
  }

  static incomplete(feedback: string | null = null): TaskCompletionResult {
    return new TaskCompletionResult(false, feedback)
  }
}

export interface CompletionAnswer {
  readonly complete: boolean
  readonly feedback?: string | null
}

export interface TaskCompletionContext {
  readonly session: SessionAccess
  /** Intended result of the agent. Absent: none yet. */
  readonly tentativeOutput?: unknown
  /** Absent: there is no workspace. */
  readonly filesystem?: WorkspaceAccess
  /** Model that can judge. Absent: none. */
  readonly adapter?: JudgeOptions
  /** Kind of the stop attempt. Absent: the checker is called outside a run. */
  readonly via?: StopVia
  /** Reason from the harness, else derived from `via`: `end_turn`, `structured_output`, `subagent_end`, `final`. */
  readonly stopReason?: string
}

/** Its answer is recorded, so a replay does not call it again. Throwing, or giving no answer within 5 s, blocks the stop. */
export interface TaskCompletionChecker {
  /** Name of the type in configs, as `custom:<name>`. Absent: the name of its class. */
  readonly name?: string
  /** Unique in the prompt. Absent: derived from the name. */
  readonly id?: string
  readonly params?: JsonObject
  /** JSON Schema of the settings, for the console's form. */
  readonly schema?: JsonObject
  check(context: TaskCompletionContext): CompletionAnswer | Promise<CompletionAnswer>
}
