// What a config may rely on beyond core: an evaluator of CEL, and code that answers for custom rule types.
import type { ExpressionEngine } from './expression-engine.ts'

/** Absent parts are taken as not there: what needs them is refused. */
export interface CompileOptions {
  /** Evaluates CEL (`@signalbox/core/expression`). Absent: a document with expression rules is refused. */
  readonly expressions?: ExpressionEngine
  /**
   * Custom rule types that code outside core answers for; `any` when answers may come from anywhere, as in an editor.
   * Absent: none, so that a rule of another type is refused, or skipped when it is optional.
   */
  readonly customTypes?: readonly string[] | 'any'
}

/** Whether code answers for a custom type. */
export function isAnswered(type: string, { customTypes = [] }: CompileOptions): boolean {
  return customTypes === 'any' || customTypes.includes(type)
}
