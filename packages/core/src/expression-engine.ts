// The port to a CEL evaluator, so that core needs none to run. `@signalbox/core/expression` implements it.
import type { JsonValue } from './json.ts'

/** A map that is asked key by key, because listing a session's history would cost more than the decision. */
export interface ValueSource {
  /** Absent key: undefined. */
  get(key: string): ExpressionValue | undefined
}

export type ExpressionValue = JsonValue | ValueSource

/** A condition that was read. */
export interface ExpressionProgram {
  /** Throws on a CEL error, such as a missing key. */
  evaluate(input: { readonly [variable: string]: ExpressionValue }): unknown
}

/** What evaluates conditions. Must be deterministic, and bounded in time. */
export interface ExpressionEngine {
  /** Parses and checks once; only `variables` may occur as names. */
  compile(
    source: string,
    variables: readonly string[],
  ):
    | { readonly ok: true; readonly program: ExpressionProgram }
    | { readonly ok: false; readonly message: string }
}
