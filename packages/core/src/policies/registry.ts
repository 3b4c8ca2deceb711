// Policy types by name. A new type is added here and in config.ts; forgetting one does not compile.
import type { Compilation } from '../compilation.ts'
import type { KnownPolicyDocument, PolicyDocument } from '../config.ts'
import { approval } from './approval.ts'
import { customPolicy } from './custom.ts'
import { expressionPolicy } from './expression.ts'
import type { Policy } from './policy.ts'
import { rateLimit } from './rate-limit.ts'
import { readBeforeWrite } from './read-before-write.ts'
import { sequentialDependency } from './sequential-dependency.ts'

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

export function compilePolicy(
  document: PolicyDocument,
  pointer: string,
  compilation: Compilation,
): Policy {
  if (!isKnownPolicy(document)) return customPolicy(document)
  switch (document.type) {
    case 'sequential_dependency':
      return sequentialDependency(document)
    case 'read_before_write':
      return readBeforeWrite(document)
    case 'expression':
      return expressionPolicy(document, pointer, compilation)
    case 'rate_limit':
      return rateLimit(document)
    case 'approval':
      return approval(document)
    default:
      return document satisfies never
  }
}
