// A harness with hooks: it sends one JSON object for each event and follows the JSON answer. Translates only; HookHost asks the guardrails.
import type { JsonObject, UsageRecorded } from '@signalbox/core'
import type { HarnessProfile } from './harness-profile.ts'
import type { NativeCall, NativeResult, NativeStop } from './native-call.ts'

export type HookEvent =
  | { readonly kind: 'session_started' }
  /** The user began a new turn. */
  | { readonly kind: 'run_started' }
  | { readonly kind: 'tool_requested'; readonly call: NativeCall }
  | { readonly kind: 'tool_finished'; readonly result: NativeResult }
  /** Results of every call of one step; calls that were reported before may be among them. */
  | { readonly kind: 'batch_finished'; readonly results: readonly NativeResult[] }
  | { readonly kind: 'stop_attempted'; readonly attempt: NativeStop }
  /** The harness accepted the structured output: the run ends with it, for any answer to the stop that follows. */
  | { readonly kind: 'output_accepted'; readonly output: unknown }
  /** `left`: the user left; completed if the agent had stopped by then. `output`: the result of the run, if the hook has it. */
  | {
      readonly kind: 'session_ended'
      readonly reason: 'completed' | 'failed' | 'aborted' | 'left'
      readonly output?: unknown
    }
  /** An event without anything to decide or record. */
  | { readonly kind: 'other' }

export interface HookInput {
  /** The harness's own id of the session. */
  readonly session: string
  /** Working folder of the agent, absolute; null: the hook does not have it. */
  readonly cwd: string | null
  readonly event: HookEvent
  /** Version of the harness, if its hooks report it. Absent: they do not. */
  readonly version?: string
  /** Participant, where several share the session: it ends when the last known one has ended. Absent: there is only one. */
  readonly participant?: string
  /** Absent: the harness keeps no records that can be read. */
  readonly learnt?: HookKnowledge
}

/** Facts from a harness's own records beyond the event. May be repeated with every hook; each counts once. */
export interface HookKnowledge {
  /** Ends of calls. Ignored unless the guardrails still wait for the call. */
  readonly results?: readonly NativeResult[]
  /** Calls that the harness makes or refuses without asking. */
  readonly unasked?: readonly NativeResult[]
  /** Each replaces the earlier usage of the same evaluation. */
  readonly usage?: readonly UsageRecorded[]
}

export type HookAnswer =
  /** Continue without a message. */
  | { readonly kind: 'pass' }
  | { readonly kind: 'deny'; readonly reason: string }
  /** After a call: text for the agent. */
  | { readonly kind: 'feedback'; readonly text: string }
  /** The agent must continue with this message. */
  | { readonly kind: 'block'; readonly message: string }

export interface HookHarness {
  /** Name in `signalbox hook <name>` and in the console, e.g. `claude-code`. */
  readonly name: string
  /** Capabilities of this version of the harness. `version` null: not known, so the weakest is assumed. */
  profile(version: string | null): HarnessProfile
  /** Throws HookPayloadError, which names the field, when the payload is not one of this harness. */
  read(payload: unknown): HookInput
  /** The JSON that the harness gets; null: an empty answer. Only keys that this harness accepts. */
  answer(event: HookEvent, answer: HookAnswer): JsonObject | null
  /**
   * The answer to a payload that could not be parsed or evaluated: refuses a call, blocks a stop, and is empty for anything else. Accepts
   * any payload; for one that is not an object, it refuses.
   */
  refuse(payload: unknown, reason: string): JsonObject | null
}

/** A hook sent something that its harness is not known to send. */
export class HookPayloadError extends Error {
  override readonly name = 'HookPayloadError'
}
