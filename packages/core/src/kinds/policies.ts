// Policy types by name. A new type is added here and in config.ts; forgetting one does not compile.

import { pointerTo } from '../model/json.ts'
import { refuse } from './compilation.ts'
import type { Compilation } from './compile-options.ts'
import type { ApprovalDocument } from './policies/approval.ts'
import { approval } from './policies/approval.ts'
import type { CustomPolicyDocument } from './policies/custom.ts'
import { customPolicy } from './policies/custom.ts'
import type { ExpressionPolicyDocument } from './policies/expression.ts'
import type { Policy } from './policies/policy.ts'
import type { RateLimitDocument } from './policies/rate-limit.ts'
import { rateLimit } from './policies/rate-limit.ts'
import type { ReadBeforeWriteDocument } from './policies/read-before-write.ts'
import { readBeforeWrite } from './policies/read-before-write.ts'
import type { SequentialDependencyDocument } from './policies/sequential-dependency.ts'
import { sequentialDependency } from './policies/sequential-dependency.ts'

export type KnownPolicyDocument =
  | SequentialDependencyDocument
  | ReadBeforeWriteDocument
  | ExpressionPolicyDocument
  | RateLimitDocument
  | ApprovalDocument
export type PolicyDocument = KnownPolicyDocument | CustomPolicyDocument

export const POLICY_TYPES = [
  'sequential_dependency',
  'read_before_write',
  'expression',
  'rate_limit',
  'approval',
] as const satisfies readonly KnownPolicyDocument['type'][]

export function isKnownPolicy(document: PolicyDocument): document is KnownPolicyDocument {
  const known: readonly string[] = POLICY_TYPES
  return known.includes(document.type)
}

/** null: the document is refused. */
export function compilePolicy(
  document: PolicyDocument,
  pointer: string,
  compilation: Compilation,
): Policy | null {
  if (!isKnownPolicy(document)) return customPolicy(document)
  switch (document.type) {
    case 'sequential_dependency':
      return sequentialDependency(document)
    case 'read_before_write':
      return readBeforeWrite(document)
    case 'expression':
      return (
        compilation.options.expressions?.policy(document, pointer, compilation) ??
        refuse(compilation, conditionPointer(document, pointer), {
          code: 'expression_engine_missing',
        })
      )
    case 'rate_limit':
      return rateLimit(document)
    case 'approval':
      return approval(document)
    default:
      return document satisfies never
  }
}

function conditionPointer({ deny_when }: ExpressionPolicyDocument, pointer: string): string {
  return pointerTo(pointer, deny_when === undefined ? 'require' : 'deny_when')
}
