import { type JsonObject, omitUndefined } from '@signalbox/core'
import { celExpressions } from '@signalbox/core/expression'
import type {
  ApprovalSource,
  FeedbackChannel,
  GuardedSession,
  JudgeOptions,
  Telemetry,
} from '@signalbox/runtime'
import { createGuardrails, type Guardrails } from '@signalbox/runtime'
import type { OnDiagnostic } from '@signalbox/runtime/base'
import type { TaskCompletionChecker } from '../prompt/completion.ts'
import type { CompiledPrompt } from '../prompt/prompt-template.ts'
import type { Resource } from '../prompt/resources.ts'
import type { Budget } from '../state/budget.ts'
import type { Deadline } from '../state/deadline.ts'
import type { Session } from '../state/session.ts'
import type { Workspace } from '../workspace/workspace.ts'

export interface PromptSessionOptions {
  /** Must be created with `custom: template.customRules()`. Absent: the prompt's declarations are enforced without a control plane. */
  readonly guardrails?: Guardrails
  /** Absent: a new one. */
  readonly session?: Session
  /** Absent: tools have no files, and rules about files deny. */
  readonly workspace?: Workspace
  readonly deadline?: Deadline
  readonly budget?: Budget
  readonly resources?: readonly Resource[]
  /** Called before and after every tool, and by tools through `beat`; pass a `Heartbeat`. */
  readonly heartbeat?: { beat(): void }
  /** Model for `LLMJudgeChecker`. With `guardrails`, pass it there as well. */
  readonly judge?: JudgeOptions
  /** Source of approvals. Absent: calls that need approval are denied. With `guardrails`, pass it there instead. */
  readonly approvals?: ApprovalSource
  /** Tracing system that observes the session. With `guardrails`, pass it there instead. */
  readonly telemetry?: Telemetry
  /** Checker for a prompt that has none; ignored with `guardrails`. Deprecated: set it on the template. */
  readonly taskCompletionChecker?: TaskCompletionChecker
  readonly tags?: { readonly [name: string]: string }
  /** Absent: in_result. */
  readonly channel?: FeedbackChannel
  /** W3C traceparent of the session's parent. Absent or not valid: TRACEPARENT of the environment. */
  readonly trace?: string
  /** Epoch milliseconds. Absent: the system clock. */
  readonly now?: () => number
  readonly onDiagnostic?: OnDiagnostic
  /** Called with each event of the session as JSON, after it was recorded. */
  readonly onEvent?: (line: string) => void
}

export function openGuardrails(
  compiled: CompiledPrompt,
  options: PromptSessionOptions,
): Guardrails {
  if (options.guardrails !== undefined) return options.guardrails
  const { now, onDiagnostic, judge, approvals, telemetry } = options
  return createGuardrails({
    config: compiled.document,
    custom: compiled.custom,
    expressions: celExpressions(),
    ...omitUndefined({ now, onDiagnostic, judge, approvals, telemetry }),
  })
}

export function openGuarded(
  guardrails: Guardrails,
  options: PromptSessionOptions,
  watch: { readonly deadline: Deadline | null; readonly onEvent: (line: string) => void },
): GuardedSession {
  const { workspace, budget, tags, channel, trace, heartbeat } = options
  // Rules must resolve paths against the workspace's root, or they would evaluate another file.
  const root = workspace?.root ?? workspace?.mountPoint ?? null
  return guardrails.openSession({
    onEvent: watch.onEvent,
    ...omitUndefined({
      files: workspace?.lookup(),
      workspaceRoot: root ?? undefined,
      deadlineAt: watch.deadline?.at,
      budget: budget === undefined ? undefined : toBudgetLimits(budget),
      tags,
      channel,
      trace,
      heartbeat,
    }),
  })
}

function toBudgetLimits(budget: Budget): JsonObject {
  const limits = [
    ['max_total_tokens', budget.maxTotalTokens],
    ['max_input_tokens', budget.maxInputTokens],
    ['max_output_tokens', budget.maxOutputTokens],
  ] as const
  return Object.fromEntries(
    limits.flatMap(([name, limit]) => (limit === null ? [] : [[name, limit] as const])),
  )
}

/** Earlier of the run's deadline and the budget's; null: there is neither. */
export function effectiveDeadline({ deadline, budget }: PromptSessionOptions): Deadline | null {
  const known = [deadline, budget?.deadline ?? undefined].filter((each) => each !== undefined)
  return known.sort((a, b) => a.at - b.at)[0] ?? null
}
