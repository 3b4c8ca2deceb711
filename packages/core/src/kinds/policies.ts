// Policy types by name, and their document. A type is its file and its lines here; a missing part does not compile. Three registries, so
// that an agent loads only the engine's.

import { refuse } from './compilation.ts'
import type { Compilation } from './compile-options.ts'
import {
  type ApprovalDocument,
  approval,
  approvalRule,
  approvalWords,
} from './policies/approval.ts'
import { type CustomPolicyDocument, customPolicy, customPolicyRule } from './policies/custom.ts'
import {
  conditionPointer,
  type ExpressionPolicyDocument,
  expressionRule,
  expressionWords,
} from './policies/expression.ts'
import type { Policy } from './policies/policy.ts'
import type { PolicyRule } from './policies/policy-rule.ts'
import {
  type RateLimitDocument,
  rateLimit,
  rateLimitRule,
  rateLimitWords,
} from './policies/rate-limit.ts'
import {
  type ReadBeforeWriteDocument,
  readBeforeWrite,
  readBeforeWriteRule,
  readBeforeWriteWords,
} from './policies/read-before-write.ts'
import {
  type SequentialDependencyDocument,
  sequentialDependency,
  sequentialDependencyRule,
  sequentialDependencyWords,
} from './policies/sequential-dependency.ts'
import { describeCalls, type RuleWords } from './rule-words.ts'

export type KnownPolicyDocument =
  | SequentialDependencyDocument
  | ReadBeforeWriteDocument
  | ExpressionPolicyDocument
  | RateLimitDocument
  | ApprovalDocument
export type PolicyDocument = KnownPolicyDocument | CustomPolicyDocument

type PolicyType = KnownPolicyDocument['type']
type DocumentOf<Type extends PolicyType> = Extract<KnownPolicyDocument, { readonly type: Type }>

interface PolicyCompiler<Document> {
  /** null: the document is refused. */
  compile(document: Document, pointer: string, compilation: Compilation): Policy | null
}

const COMPILERS = {
  sequential_dependency: { compile: sequentialDependency },
  read_before_write: { compile: readBeforeWrite },
  expression: {
    compile: (document, pointer, compilation) =>
      compilation.options.expressions?.policy(document, pointer, compilation) ??
      refuse(compilation, conditionPointer(document, pointer), {
        code: 'expression_engine_missing',
      }),
  },
  rate_limit: { compile: rateLimit },
  approval: { compile: approval },
} as const satisfies { readonly [Type in PolicyType]: PolicyCompiler<DocumentOf<Type>> }

const RULES = {
  sequential_dependency: sequentialDependencyRule,
  read_before_write: readBeforeWriteRule,
  expression: expressionRule,
  rate_limit: rateLimitRule,
  approval: approvalRule,
} as const satisfies { readonly [Type in PolicyType]: PolicyRule<DocumentOf<Type>> }

export const POLICY_WORDS = {
  sequential_dependency: sequentialDependencyWords,
  read_before_write: readBeforeWriteWords,
  expression: expressionWords,
  rate_limit: rateLimitWords,
  approval: approvalWords,
} as const satisfies { readonly [Type in PolicyType]: RuleWords<DocumentOf<Type>> }

// TypeScript types the keys of every object as string.
export const POLICY_TYPES = Object.keys(COMPILERS) as readonly PolicyType[]

function isKnownPolicy(document: PolicyDocument): document is KnownPolicyDocument {
  return Object.hasOwn(COMPILERS, document.type)
}

/** null: the document is refused. */
export function compilePolicy(
  document: PolicyDocument,
  pointer: string,
  compilation: Compilation,
): Policy | null {
  if (!isKnownPolicy(document)) return customPolicy(document)
  const compiler: PolicyCompiler<KnownPolicyDocument> = COMPILERS[document.type]
  return compiler.compile(document, pointer, compilation)
}

/** The part of the document's own type. */
export function policyRule(document: PolicyDocument): PolicyRule<PolicyDocument> {
  return isKnownPolicy(document) ? RULES[document.type] : customPolicyRule
}

export function describePolicy(policy: PolicyDocument): string {
  if (!isKnownPolicy(policy)) {
    return `Custom type \`${policy.type}\` decides ${describeCalls(policy.tools)}`
  }
  const words: Pick<RuleWords<KnownPolicyDocument>, 'describe'> = POLICY_WORDS[policy.type]
  return words.describe(policy)
}
