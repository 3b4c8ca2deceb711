// Checks what the model received, what ran, and what was recorded. Only the driver knows the harness.
import type { ConfigDocument, RecordedCapabilities, SessionEvent } from '@signalbox/core'

export type ModelTurn =
  | { readonly calls: readonly ScriptedCall[] }
  | { readonly say: string }
  /** Structured output of the run; only where `capabilities.structured` is not `none`. */
  | { readonly output: { readonly [field: string]: unknown } }

/** A call in the kit's terms, which the driver translates to a tool call of the harness. Paths are relative to the workspace. */
export type ScriptedCall =
  | { readonly write: string; readonly content: string }
  | { readonly read: string }
  /** A command that exits with 0 and has no effect, or a call that fails. Where a file is named, its text is the error. */
  | { readonly check: 'passes' | 'fails' | `fails with ${string}` }
  | { readonly plan: readonly { readonly title: string; readonly done: boolean }[] }

export interface CompatRun {
  readonly config: ConfigDocument
  readonly script: readonly ModelTurn[]
  readonly files?: { readonly [path: string]: string }
  /** `crashes`: the guard throws, or its process is dead. `hangs`: it never answers. Absent: it works. */
  readonly guard?: 'crashes' | 'hangs'
  /** Milliseconds from the start of the run. Absent: no deadline. */
  readonly deadlineInMs?: number
  readonly budget?: { readonly max_total_tokens: number }
  /** Orders of a person; each is given when so many calls have ended. Absent: none. */
  readonly orders?: readonly CompatOrder[]
}

export interface CompatOrder {
  readonly action: 'pause' | 'resume' | 'end'
  readonly afterCalls: number
  readonly reason: string
}

export interface CompatOutcome {
  /** Text of each request to the model, in order: system, user, tool results. */
  readonly requests: readonly string[]
  readonly files: { readonly [path: string]: string }
  /** The session as recorded; empty: the guard crashed before the session began. */
  readonly events: readonly SessionEvent[]
  /** Output that the host received: the final text or the structured object; null: the run produced none or failed. */
  readonly output: unknown
}

export interface CompatTools {
  /** Differs from `check`. */
  readonly write: string
  /** null: the harness reads files only through commands, so reads are unknown. */
  readonly read: string | null
  readonly check: string
  readonly plan: string | null
}

export interface CompatHarness {
  readonly name: string
  /** Package and version that the driver runs, e.g. `@openai/codex 0.169.0`. */
  readonly tested: string
  readonly capabilities: RecordedCapabilities
  readonly tools: CompatTools
  readonly reportsUsage: boolean
  run(run: CompatRun): Promise<CompatOutcome>
}
