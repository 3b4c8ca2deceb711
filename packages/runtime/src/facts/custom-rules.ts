// Rule types that the host brings as code. What they answer is recorded as a fact, so that a replay needs the record, not the
// code; what they throw, or answer late or in a wrong shape, denies.
import type { JsonObject, RuleAnswer, StopAttempted, ToolInvoked } from '@signalbox/core'
import type { StateSnapshot } from '@signalbox/core/snapshot'

export interface RuleContext {
  /** Id of the session; one process may serve many. */
  readonly session: string
  /** Id of the rule in the config. */
  readonly rule: string
  /** The rule's settings; empty when it has none. */
  readonly params: JsonObject
  /** Core's memory of the session before the event that is being judged; a private copy for the caller, made on each call. */
  readonly snapshot: () => StateSnapshot
  /** Epoch milliseconds of that event. */
  readonly at: number
  /** Aborted when the answer would come too late. */
  readonly signal: AbortSignal
}

/** A call that may be denied. */
export interface PolicyQuestion extends RuleContext {
  /** Tool name in the harness. */
  readonly tool: string
  /** Arguments as the harness gave them, before redaction. */
  readonly args: unknown
  readonly callId: string
}

/** A call that has ended, before its feedback. */
export interface FeedbackQuestion extends RuleContext {
  readonly call: ToolInvoked
}

/** A stop that may be blocked. */
export interface CheckQuestion extends RuleContext {
  readonly stop: StopAttempted
}

type Answer = RuleAnswer | Promise<RuleAnswer>

interface CustomType<Question> {
  /** JSON Schema of `params`, for the console's form. Absent: free. */
  readonly schema?: JsonObject
  readonly answer: (question: Question) => Answer
}

export type CustomPolicy = CustomType<PolicyQuestion>
export type CustomProvider = CustomType<FeedbackQuestion>
export type CustomChecker = CustomType<CheckQuestion>

/** By type name, as configs use it: anything but a built-in name, for example `acme/no-friday-deploys`. */
export interface CustomRules {
  readonly policies?: { readonly [type: string]: CustomPolicy }
  readonly providers?: { readonly [type: string]: CustomProvider }
  readonly checkers?: { readonly [type: string]: CustomChecker }
}

/** All type names, sorted, without duplicates. */
export function readCustomTypes({ policies, providers, checkers }: CustomRules): readonly string[] {
  const names = [policies, providers, checkers].flatMap((types) => Object.keys(types ?? {}))
  return [...new Set(names)].sort()
}
