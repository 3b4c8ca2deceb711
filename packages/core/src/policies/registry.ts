// Policy types by name. A new type is added here and in config.ts; forgetting one does not compile.
import type { KnownPolicyDocument, PolicyDocument } from '../config.ts'
import type { Policy } from './policy.ts'
import { readBeforeWrite } from './read-before-write.ts'
import { sequentialDependency } from './sequential-dependency.ts'

export const POLICY_TYPES = [
  'sequential_dependency',
  'read_before_write',
] as const satisfies readonly KnownPolicyDocument['type'][]

export function isKnownPolicy(document: PolicyDocument): document is KnownPolicyDocument {
  const known: readonly string[] = POLICY_TYPES
  return known.includes(document.type)
}

export function compilePolicy(document: KnownPolicyDocument): Policy {
  switch (document.type) {
    case 'sequential_dependency':
      return sequentialDependency(document)
    case 'read_before_write':
      return readBeforeWrite(document)
    default:
      return document satisfies never
  }
}
