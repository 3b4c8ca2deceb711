// Extensions that a config may rely on beyond core: an evaluator of CEL, and code that answers for custom rule types.

import type { Refusal } from '../model/refusal.ts'
import type { LeafChecker } from './checkers/checker.ts'
import type { ExpressionCheckerDocument } from './checkers/expression.ts'
import type { ExpressionPolicyDocument } from './policies/expression.ts'
import type { Policy } from './policies/policy.ts'

/** The rule types for conditions, provided by code that can evaluate them. A condition that cannot be parsed refuses the document. */
export interface ExpressionRules {
  policy(document: ExpressionPolicyDocument, pointer: string, compilation: Compilation): Policy
  checker(
    document: ExpressionCheckerDocument,
    pointer: string,
    compilation: Compilation,
  ): LeafChecker
}

/** Absent parts are taken as not there: what needs them is refused. */
export interface CompileOptions {
  /** From `@signalbox/core/expression`. Absent: a document with expression rules is refused. */
  readonly expressions?: ExpressionRules
  /**
   * Custom rule types that code outside core answers for; `any` when answers may come from anywhere, as in an editor.
   * Absent: none, so that a rule of another type is refused, or skipped when it is optional.
   */
  readonly customTypes?: readonly string[] | 'any'
}

export interface Compilation {
  readonly options: CompileOptions
  /** Grows; in document order. */
  readonly problems: Refusal[]
  /** First position of each rule id; grows. */
  readonly rules: Map<string, string>
  /** First declaration of each tool; grows. */
  readonly tools: Map<string, string>
}

export function isAnswered(type: string, { customTypes = [] }: CompileOptions): boolean {
  return customTypes === 'any' || customTypes.includes(type)
}
