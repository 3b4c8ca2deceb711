// The compatibility kit asks every harness the same: it runs an agent whose model follows a script, under a config, and checks what the
// model received, what ran, and what was recorded (semantics.md §9). A driver is the only part that knows the harness.
import type { ConfigDocument, RecordedCapabilities, SessionEvent } from '@signalbox/core'

export type ModelTurn =
  /** Calls made in one step. */
  | { readonly calls: readonly ScriptedCall[] }
  /** Text and no call: the agent wants to stop. */
  | { readonly say: string }
  /** The structured output of the run; only where `capabilities.structured` is not `none`. */
  | { readonly output: { readonly [field: string]: unknown } }

/** In the kit's words; the driver makes the harness's own tool call of it. Paths are relative to the workspace. */
export type ScriptedCall =
  | { readonly write: string; readonly content: string }
  | { readonly read: string }
  /** A command that exits 0 without any effect. */
  | { readonly check: 'passes' }
  /** A command that fails. */
  | { readonly check: 'fails' }
  /** The agent's plan, where the harness has a plan tool. */
  | { readonly plan: readonly { readonly title: string; readonly done: boolean }[] }

export interface CompatRun {
  readonly config: ConfigDocument
  readonly script: readonly ModelTurn[]
  /** Files of the workspace before the run. */
  readonly files?: { readonly [path: string]: string }
  /** `crashes`: the guard throws or its process is dead when it is asked. `hangs`: it never answers. Absent: it works. */
  readonly guard?: 'crashes' | 'hangs'
  /** Milliseconds from the start of the run. Absent: no deadline. */
  readonly deadlineInMs?: number
  readonly budget?: { readonly max_total_tokens: number }
}

export interface CompatOutcome {
  /** Everything that the model was sent, one text for each request, in order: system, user, tool results. */
  readonly requests: readonly string[]
  /** Text files of the workspace after the run, without what the harness itself keeps there. */
  readonly files: { readonly [path: string]: string }
  /** The session as recorded; empty when the guard crashed before it began. */
  readonly events: readonly SessionEvent[]
  /** The output that the host got: the final text or the structured object; null when the run gave none or failed. */
  readonly output: unknown
}

/** Canonical names of the tools that the driver uses for the script's calls. */
export interface CompatTools {
  /** Never the same as `check`. */
  readonly write: string
  /** null: the harness reads files only by commands, so the files that were read are unknown. */
  readonly read: string | null
  readonly check: string
  readonly plan: string | null
}

export interface CompatHarness {
  /** The harness as the matrix names it, with its way of asking, e.g. `claude-code (http hook)`. */
  readonly name: string
  /** Package and version that the driver runs, e.g. `@openai/codex 0.169.0`. */
  readonly tested: string
  readonly capabilities: RecordedCapabilities
  readonly tools: CompatTools
  /** The harness reports the model's usage, so that a budget can be spent. */
  readonly tellsUsage: boolean
  run(run: CompatRun): Promise<CompatOutcome>
}
