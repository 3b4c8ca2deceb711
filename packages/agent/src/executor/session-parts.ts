// Opens the parts of a prompt session, and the guardrails that it then uses.
import type { JsonObject } from '@signalbox/core'
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
  /**
   * Guardrails of the control plane, made with `custom: template.customRules()`. Absent: the prompt's declarations are enforced here,
   * without a control plane.
   */
  readonly guardrails?: Guardrails
  /** Absent: a new one. */
  readonly session?: Session
  /** Absent: tools have no files, and rules about files deny. */
  readonly workspace?: Workspace
  readonly deadline?: Deadline
  readonly budget?: Budget
  readonly resources?: readonly Resource[]
  /** Called before and after every tool, and by the tools; pass a `Heartbeat`. */
  readonly heartbeat?: { beat(): void }
  /** The model of `LLMJudgeChecker`. With `guardrails`, give it to them too. */
  readonly judge?: JudgeOptions
  /** Absent: calls that need approval are denied. With `guardrails`, give it to them instead. */
  readonly approvals?: ApprovalSource
  /** A tracing system that looks on. With `guardrails`, give it to them instead. */
  readonly telemetry?: Telemetry
  /** Used when the prompt has none, and without `guardrails`. Deprecated: set it on the template. */
  readonly taskCompletionChecker?: TaskCompletionChecker
  readonly tags?: { readonly [name: string]: string }
  /** Absent: in_result. */
  readonly channel?: FeedbackChannel
  /** W3C traceparent under which the session stands. Absent or not valid: TRACEPARENT of the environment. */
  readonly trace?: string
  /** Epoch milliseconds. Absent: the system clock. */
  readonly now?: () => number
  readonly onDiagnostic?: OnDiagnostic
  /** Is shown each event of the session as JSON, after it was recorded. */
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
    ...(now === undefined ? {} : { now }),
    ...(onDiagnostic === undefined ? {} : { onDiagnostic }),
    ...(judge === undefined ? {} : { judge }),
    ...(approvals === undefined ? {} : { approvals }),
    ...(telemetry === undefined ? {} : { telemetry }),
  })
}

export function openGuarded(
  guardrails: Guardrails,
  options: PromptSessionOptions,
  watch: { readonly deadline: Deadline | null; readonly onEvent: (line: string) => void },
): GuardedSession {
  const { workspace, budget, tags, channel, trace, heartbeat } = options
  // The rules' base for paths must be the workspace's root, or they would judge another file.
  const root = workspace?.root ?? workspace?.mountPoint ?? null
  return guardrails.openSession({
    onEvent: watch.onEvent,
    ...(workspace === undefined ? {} : { files: workspace.lookup() }),
    ...(root === null ? {} : { workspaceRoot: root }),
    ...(watch.deadline === null ? {} : { deadlineAt: watch.deadline.at }),
    ...(budget === undefined ? {} : { budget: toBudgetLimits(budget) }),
    ...(tags === undefined ? {} : { tags }),
    ...(channel === undefined ? {} : { channel }),
    ...(trace === undefined ? {} : { trace }),
    ...(heartbeat === undefined ? {} : { heartbeat }),
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

/** The earlier of the two; null when there is none. */
export function effectiveDeadline({ deadline, budget }: PromptSessionOptions): Deadline | null {
  const known = [deadline, budget?.deadline ?? undefined].filter((each) => each !== undefined)
  return known.sort((a, b) => a.at - b.at)[0] ?? null
}
