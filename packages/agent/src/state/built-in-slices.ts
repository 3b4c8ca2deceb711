import type { JsonValue, Observation, PlanStep, Severity, ToolOutcome } from '@signalbox/core'
import { defineSlice, replaceLatest, type SliceDefinition } from './slice.ts'

export interface ToolInvoked {
  readonly callId: string
  readonly tool: string
  readonly args: JsonValue
  readonly outcome: ToolOutcome
  /** Value from the tool; null: it returned none, or failed. */
  readonly value: JsonValue
  readonly message: string
  readonly promptName: string
  /** Number of finished calls of the prompt, including this one. */
  readonly callIndex: number
  /** Epoch milliseconds. */
  readonly at: number
}

export const ToolInvoked: SliceDefinition<ToolInvoked> = defineSlice('tool_invoked', {
  kind: 'log',
})

export interface PromptRendered {
  readonly promptName: string
  readonly text: string
  readonly at: number
}

export const PromptRendered: SliceDefinition<PromptRendered> = defineSlice('prompt_rendered', {
  kind: 'log',
})

export interface PromptExecuted {
  readonly promptName: string
  readonly output: JsonValue
  /** null: stops are not checked, or the run did not complete. */
  readonly complete: boolean | null
  readonly at: number
}

export const PromptExecuted: SliceDefinition<PromptExecuted> = defineSlice('prompt_executed', {
  kind: 'log',
})

export interface FeedbackRecord {
  /** Id of the rule. */
  readonly provider: string
  readonly providerName: string
  readonly summary: string
  readonly observations: readonly Observation[]
  readonly suggestions: readonly string[]
  readonly severity: Severity
  readonly promptName: string
  readonly callIndex: number
  readonly at: number
}

export const FeedbackHistory: SliceDefinition<FeedbackRecord> = defineSlice('feedback', {
  kind: 'log',
})

export interface Plan {
  readonly steps: readonly PlanStep[]
}

export const Plan: SliceDefinition<Plan> = defineSlice('plan', { reduce: replaceLatest() })
