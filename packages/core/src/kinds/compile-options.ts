// Extensions beyond core that a config may rely on: a CEL evaluator, and code that answers for custom rule types.

import type { Refusal } from '../model/refusal.ts'
import type { LeafChecker } from './checkers/checker.ts'
import type { ExpressionCheckerDocument } from './checkers/expression.ts'
import type { ExpressionPolicyDocument } from './policies/expression.ts'
import type { Policy } from './policies/policy.ts'

/** Compilers of rule types with conditions, from code that can evaluate them. A condition that cannot be parsed refuses the document. */
export interface ExpressionRules {
  policy(document: ExpressionPolicyDocument, pointer: string, compilation: Compilation): Policy
  checker(
    document: ExpressionCheckerDocument,
    pointer: string,
    compilation: Compilation,
  ): LeafChecker
}

/** Absent extensions count as missing: documents that need them are refused. */
export interface CompileOptions {
  /** From `@signalbox/core/expression`. Absent: a document with expression rules is refused. */
  readonly expressions?: ExpressionRules
  /**
   * Custom rule types that code outside core answers for; `any`: answers may come from anywhere, as in an editor. Absent: none, so a rule
   * of another type is refused, or skipped if it is optional.
   */
  readonly customTypes?: readonly string[] | 'any'
}

export interface Compilation {
  readonly options: CompileOptions
  /** Problems found so far, in document order. */
  readonly problems: Refusal[]
  /** Pointer of the first rule with each id. */
  readonly rules: Map<string, string>
  /** Pointer of the first declaration of each tool. */
  readonly tools: Map<string, string>
}

export function isAnswered(type: string, { customTypes = [] }: CompileOptions): boolean {
  return customTypes === 'any' || customTypes.includes(type)
}
