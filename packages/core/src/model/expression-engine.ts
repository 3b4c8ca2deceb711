// The port to a CEL evaluator, so that core needs none to run. `@signalbox/core/expression` implements it.
import type { JsonValue } from './json.ts'
import type { SessionState } from './state.ts'

/** A map that is asked key by key, because listing a session's history would cost more than the decision. */
export interface ValueSource {
  /** Absent key: undefined. */
  get(key: string): ExpressionValue | undefined
}

export type ExpressionValue = JsonValue | ValueSource

/** Units of work left for all conditions of one decision; each evaluation subtracts its own. */
export interface WorkLeft {
  units: number
}

/** A condition that was read. */
export interface ExpressionProgram {
  /** Throws on a CEL error, such as a missing key, and when it needs more than is left. Without `left`: one evaluation's own bound. */
  evaluate(input: { readonly [variable: string]: ExpressionValue }, left?: WorkLeft): unknown
}

/** Evaluates conditions. Must be deterministic, and bounded in time. */
export interface ExpressionEngine {
  /** Parses and checks once; only `variables` may occur as names. */
  compile(
    source: string,
    variables: readonly string[],
  ):
    | { readonly ok: true; readonly program: ExpressionProgram }
    | { readonly ok: false; readonly message: string }
}

/** Units of work of all conditions of one decision: twice the limit of one condition. Part of a decision's meaning, so not an option. */
const MOST_WORK = 2_000_000

/** Under semantics 1 only each evaluation is bounded. */
export function createWorkLimit({ semantics }: Pick<SessionState, 'semantics'>): WorkLeft {
  return { units: semantics < 2 ? Number.POSITIVE_INFINITY : MOST_WORK }
}
