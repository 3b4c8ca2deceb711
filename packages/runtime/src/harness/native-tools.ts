// The tools that a harness brings itself, under the names that rules use (specs/adapters.md has the table). A config that
// aliases or names a native tool keeps that name; else the table's name is recorded, so that one rule holds in every harness.
import type { JsonObject, PlanStep } from '@signalbox/core'

/** One tool of a harness. */
export interface NativeTool {
  /** Tool name in rules, e.g. `write_file`. */
  readonly name: string
  /** Arguments as rules read them: those of the harness, plus `file_path` where its name for the path differs. Absent: unchanged. */
  readonly args?: (input: JsonObject) => JsonObject
  /** A tool that changes several files at once is judged as one call for each; empty: as one call. Absent: one call. */
  readonly parts?: (
    input: JsonObject,
  ) => readonly { readonly name: string; readonly args: JsonObject }[]
  /** The complete plan after a successful call; null: the call does not contain the plan. Absent: not a plan tool. */
  readonly plan?: (input: JsonObject, done: FinishedPlanCall) => readonly PlanStep[] | null
}

/** Finished call of a tool that changes one step of the plan at a time. */
export interface FinishedPlanCall {
  /** undefined: the harness gives none. */
  readonly output: unknown
  /** Plan before the call; empty when there was none. */
  readonly plan: readonly PlanStep[]
}

/** By the harness's own name. */
export type NativeTools = { readonly [native: string]: NativeTool }
