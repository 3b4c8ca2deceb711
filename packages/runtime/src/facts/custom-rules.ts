// Answers are recorded, so that a replay does not need the code. After an error, a late or a malformed one a policy denies, and a check is incomplete.
import type { JsonObject, RuleAnswer, StopAttempted, ToolInvoked } from '@signalbox/core'
import type { StateSnapshot } from '@signalbox/core/snapshot'

export interface RuleContext {
  /** Id of the session; one process may serve many. */
  readonly session: string
  /** Id of the rule in the config. */
  readonly rule: string
  /** Settings of the rule; empty: it has none. */
  readonly params: JsonObject
  /** Returns a new copy of the session state before the event under evaluation. */
  readonly snapshot: () => StateSnapshot
  /** Time of that event, epoch milliseconds. */
  readonly at: number
  /** Aborts when an answer would come too late. */
  readonly signal: AbortSignal
}

export interface PolicyQuestion extends RuleContext {
  /** Tool name in the harness. */
  readonly tool: string
  /** Arguments as the harness gave them, before redaction. */
  readonly args: unknown
  readonly callId: string
}

export interface FeedbackQuestion extends RuleContext {
  readonly call: ToolInvoked
}

export interface CheckQuestion extends RuleContext {
  readonly stop: StopAttempted
}

type Answer = RuleAnswer | Promise<RuleAnswer>

interface CustomType<Question> {
  /** JSON Schema of `params`, for the console's form. Absent: any settings. */
  readonly schema?: JsonObject
  readonly answer: (question: Question) => Answer
}

export type CustomPolicy = CustomType<PolicyQuestion>
export type CustomProvider = CustomType<FeedbackQuestion>
export type CustomChecker = CustomType<CheckQuestion>

/** Rule types by name, as configs use them. A name must not be built in, for example `acme/no-friday-deploys`. */
export interface CustomRules {
  readonly policies?: { readonly [type: string]: CustomPolicy }
  readonly providers?: { readonly [type: string]: CustomProvider }
  readonly checkers?: { readonly [type: string]: CustomChecker }
}

export function readCustomTypes({ policies, providers, checkers }: CustomRules): readonly string[] {
  const names = [policies, providers, checkers].flatMap((types) => Object.keys(types ?? {}))
  return [...new Set(names)].sort()
}
