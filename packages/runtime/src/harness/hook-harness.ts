import type { JsonObject, UsageRecorded } from '@signalbox/core'
import type { Replacement } from '../session/session-answers.ts'
import type { HarnessProfile } from './harness-profile.ts'
import type { NativeCall, NativeResult, NativeStop } from './native-call.ts'

export type HookEvent =
  | { readonly kind: 'session_started' }
  | { readonly kind: 'run_started' }
  | { readonly kind: 'tool_requested'; readonly call: NativeCall }
  | { readonly kind: 'tool_finished'; readonly result: NativeResult }
  /** Results of every call of one step, including calls that were reported before. */
  | { readonly kind: 'batch_finished'; readonly results: readonly NativeResult[] }
  | { readonly kind: 'stop_attempted'; readonly attempt: NativeStop }
  | { readonly kind: 'output_accepted'; readonly output: unknown }
  /** `left`: the user left, which counts as completed if the agent had stopped. `output`: result of the run, if the hook has it. */
  | {
      readonly kind: 'session_ended'
      readonly reason: 'completed' | 'failed' | 'aborted' | 'left'
      readonly output?: unknown
    }
  | { readonly kind: 'other' }

export interface HookInput {
  /** The harness's own id of the session. */
  readonly session: string
  /** Absolute working folder of the agent; null: the hook does not report it. */
  readonly cwd: string | null
  readonly event: HookEvent
  /** Version of the harness. Absent: its hooks do not report it. */
  readonly version?: string
  /** Participant of a shared session, which ends with its last known participant. Absent: there is only one. */
  readonly participant?: string
  /** Absent: the harness keeps no records that can be read. */
  readonly learned?: HookKnowledge
}

export interface HookKnowledge {
  /** Ends of calls. Ignored unless the guardrails still wait for the call. */
  readonly results?: readonly NativeResult[]
  readonly unasked?: readonly NativeResult[]
  /** Each replaces the earlier usage of the same evaluation. */
  readonly usage?: readonly UsageRecorded[]
}

export interface ReplacedContent {
  /** Arguments with which the call must run. Absent: its own. */
  readonly input?: JsonObject
  /** Absent: the model may read the result as it is. */
  readonly replaced?: Replacement
}

export type HookAnswer =
  | ({ readonly kind: 'pass' } & ReplacedContent)
  | { readonly kind: 'deny'; readonly reason: string }
  | ({ readonly kind: 'feedback'; readonly text: string } & ReplacedContent)
  | { readonly kind: 'block'; readonly message: string }

/** An implementation only translates; HookHost calls the guardrails. */
export interface HookHarness {
  /** Name in `signalbox hook <name>` and in the console, e.g. `claude-code`. */
  readonly name: string
  /** Capabilities of this version of the harness. `version` null: not known, so the weakest is assumed. */
  profile(version: string | null): HarnessProfile
  /** Throws HookPayloadError, which names the field, if the payload is not one of this harness. */
  read(payload: unknown): HookInput
  /** JSON for the harness, with only keys that it accepts; null: an empty answer. */
  answer(event: HookEvent, answer: HookAnswer): JsonObject | null
  /** For a payload that could not be parsed or evaluated: refuses a call, blocks a stop, and is empty for anything else. Accepts any payload. */
  refuse(payload: unknown, reason: string): JsonObject | null
}

export class HookPayloadError extends Error {
  override readonly name = 'HookPayloadError'
}
