// Port to a CEL evaluator, so that core runs without one. `@signalbox/core/expression` implements it.
import type { JsonValue } from './json.ts'
import type { SessionState } from './state.ts'

/** Map that is read key by key, because listing a session's history would cost more than the decision. */
export interface ValueSource {
  /** undefined: the key is absent. */
  get(key: string): ExpressionValue | undefined
}

export type ExpressionValue = JsonValue | ValueSource

/** Units of work left for all conditions of one decision; each evaluation subtracts its own. */
export interface WorkLeft {
  units: number
}

export interface ExpressionProgram {
  /** Throws on a CEL error, such as a missing key, and on too much work. Without `left`: only one evaluation's own limit applies. */
  evaluate(input: { readonly [variable: string]: ExpressionValue }, left?: WorkLeft): unknown
}

/** Evaluator of conditions. Must be deterministic and bounded in time. */
export interface ExpressionEngine {
  /** Parses and checks the source; only `variables` may occur as names. */
  compile(
    source: string,
    variables: readonly string[],
  ):
    | { readonly ok: true; readonly program: ExpressionProgram }
    | { readonly ok: false; readonly message: string }
  /** Checks the RE2 pattern of a content rule. Returns why it cannot be used; null: it can. */
  checkPattern(source: string): string | null
}

/** Limit for all conditions of one decision, in units: twice that of one condition. Decisions depend on it, so it is not an option. */
const MOST_WORK = 2_000_000

/** Under semantics 1, only each single evaluation is bounded. */
export function createWorkLimit({ semantics }: Pick<SessionState, 'semantics'>): WorkLeft {
  return { units: semantics < 2 ? Number.POSITIVE_INFINITY : MOST_WORK }
}
