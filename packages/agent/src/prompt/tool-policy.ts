// Any object with a name and a `check` method is a policy.
import type { JsonObject } from '@signalbox/core'
import type { Deadline } from '../state/deadline.ts'
import type { SessionAccess } from '../state/session-access.ts'
import type { WorkspaceAccess } from '../workspace/workspace.ts'
import type { PromptInfo } from './prompt-info.ts'
import type { Resources } from './resources.ts'
import type { RuleOptions } from './rule-options.ts'
import type { ToolResult } from './tool-result.ts'

export class PolicyDecision {
  readonly allowed: boolean
  /** Message to the agent; null: allowed, or `Denied by policy.` */
  readonly reason: string | null

  private constructor(allowed: boolean, reason: string | null) {
    this.allowed = allowed
    this.reason = reason
  }

  static allow(): PolicyDecision {
    return new PolicyDecision(true, null)
  }

  static deny(reason: string | null = null): PolicyDecision {
    return new PolicyDecision(false, reason)
  }
}

export interface PolicyAnswer {
  readonly allowed: boolean
  readonly reason?: string | null
}

export interface PolicyCall {
  readonly tool: string
  /** Parameters as the tool's schema parsed them; as the harness gave them if the prompt does not declare the tool. */
  readonly params: unknown
  readonly callId: string
}

export interface FinishedPolicyCall extends PolicyCall {
  readonly result: ToolResult
}

export interface PolicyContext {
  readonly session: SessionAccess
  readonly prompt: PromptInfo
  /** null: the session has no workspace. */
  readonly filesystem: WorkspaceAccess | null
  readonly resources: Resources
  readonly deadline: Deadline | null
  readonly settings: JsonObject
}

/** A policy in code. Its decision is recorded, so a replay does not call it again. Throwing, or giving no answer within 5 s, denies. */
export interface ToolPolicy extends RuleOptions {
  /** Name of the type in configs, as `custom:<name>`. */
  readonly name: string
  /** Tools that it can deny. Absent: every tool that it governs. */
  readonly tools?: readonly string[]
  readonly params?: JsonObject
  /** JSON Schema of the settings, for the console's form. */
  readonly schema?: JsonObject
  check(call: PolicyCall, context: PolicyContext): PolicyAnswer | Promise<PolicyAnswer>
  /** Called after every successful call of the session, also of tools that it does not govern. Throwing makes the call a failure, and rolls back its writes. */
  onResult?(call: FinishedPolicyCall, context: PolicyContext): void | Promise<void>
}
