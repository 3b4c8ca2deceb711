import type { Refusal } from '../model/refusal.ts'
import type { LeafChecker } from './checkers/checker.ts'
import type { ExpressionCheckerDocument } from './checkers/expression.ts'
import type { ExpressionPolicyDocument } from './policies/expression.ts'
import type { CallCondition, Policy } from './policies/policy.ts'

/** A condition that cannot be parsed refuses the document. */
export interface ExpressionRules {
  policy(document: ExpressionPolicyDocument, pointer: string, compilation: Compilation): Policy
  /** `pointer`: of the pattern. A pattern that cannot be read refuses the document. */
  pattern(source: string, pointer: string, compilation: Compilation): void
  /** `pointer`: of the condition. */
  condition(source: string, pointer: string, compilation: Compilation): CallCondition
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
  /** `any`: answers may come from anywhere, as in an editor. Absent: none, so a custom rule is refused, or skipped if it is optional. */
  readonly customTypes?: readonly string[] | 'any'
}

export interface Compilation {
  readonly options: CompileOptions
  readonly problems: Refusal[]
  readonly rules: Map<string, string>
  readonly tools: Map<string, string>
}

export function isAnswered(type: string, { customTypes = [] }: CompileOptions): boolean {
  return customTypes === 'any' || customTypes.includes(type)
}
