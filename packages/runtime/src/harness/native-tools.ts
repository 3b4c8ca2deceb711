import type { JsonObject, PlanStep } from '@signalbox/core'

export interface NativeTool {
  /** Tool name in rules, e.g. `write_file`. */
  readonly name: string
  /** Arguments as rules read them: those of the harness, plus `file_path` if its name for the path differs. Absent: unchanged. */
  readonly args?: (input: JsonObject) => JsonObject
  /** Parts of a tool that changes several files at once, each evaluated as one call. Empty or absent: one call. */
  readonly parts?: (
    input: JsonObject,
  ) => readonly { readonly name: string; readonly args: JsonObject }[]
  /** The complete plan after a successful call; null: the call does not contain the plan. Absent: not a plan tool. */
  readonly plan?: (input: JsonObject, done: FinishedPlanCall) => readonly PlanStep[] | null
}

export interface FinishedPlanCall {
  /** undefined: the harness reports none. */
  readonly output: unknown
  /** Plan before the call; empty: there was none. */
  readonly plan: readonly PlanStep[]
}

/** A native name that the config does not use is replaced by the table's, so that one rule works in every harness (specs/adapters.md). */
export type NativeTools = { readonly [native: string]: NativeTool }
