// A type is its own file, its lines here and its form in `forms/`; a missing part does not compile. Compilers, rules and words are separate,
// so that an agent loads only what the engine needs; forms have files of their own, so that a page that replays a session does not load them.

import { pointerTo } from '../model/json.ts'
import type { PolicyReason } from './base/policy-reason.ts'
import type { RuleWords } from './base/rule-words.ts'
import { requireExpressions } from './compilation.ts'
import type { Compilation } from './compile-options.ts'
import { contentWords } from './content/content-words.ts'
import {
  type ApprovalDocument,
  approval,
  approvalRule,
  approvalWords,
} from './policies/approval.ts'
import {
  type CustomPolicyDocument,
  customPolicy,
  customPolicyRule,
  customPolicyWords,
} from './policies/custom.ts'
import {
  conditionPointer,
  type ExpressionPolicyDocument,
  expressionRule,
  expressionWords,
} from './policies/expression.ts'
import type { Policy } from './policies/policy.ts'
import type { PolicyRule, PolicyWords } from './policies/policy-rule.ts'
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

export type KnownPolicyDocument =
  | SequentialDependencyDocument
  | ReadBeforeWriteDocument
  | ExpressionPolicyDocument
  | RateLimitDocument
  | ApprovalDocument
export type PolicyDocument = KnownPolicyDocument | CustomPolicyDocument

export type PolicyType = KnownPolicyDocument['type']
export type PolicyDocumentOf<Type extends PolicyType> = Extract<
  KnownPolicyDocument,
  { readonly type: Type }
>

interface PolicyCompiler<Document> {
  /** null: the document is refused. */
  compile(document: Document, pointer: string, compilation: Compilation): Policy | null
}

const COMPILERS = {
  sequential_dependency: sequentialDependency,
  read_before_write: readBeforeWrite,
  expression: (document, pointer, compilation) =>
    requireExpressions(compilation, conditionPointer(document, pointer))?.policy(
      document,
      pointer,
      compilation,
    ) ?? null,
  rate_limit: rateLimit,
  approval: (document, pointer, compilation) => {
    const { when } = document
    if (when === undefined) return approval(document, null)
    const at = pointerTo(pointer, 'when')
    const condition = requireExpressions(compilation, at)?.condition(when, at, compilation)
    return condition === undefined ? null : approval(document, condition)
  },
} as const satisfies {
  readonly [Type in PolicyType]: PolicyCompiler<PolicyDocumentOf<Type>>['compile']
}

const RULES = {
  sequential_dependency: sequentialDependencyRule,
  read_before_write: readBeforeWriteRule,
  expression: expressionRule,
  rate_limit: rateLimitRule,
  approval: approvalRule,
} as const satisfies { readonly [Type in PolicyType]: PolicyRule<PolicyDocumentOf<Type>> }

export const POLICY_WORDS = {
  sequential_dependency: sequentialDependencyWords,
  read_before_write: readBeforeWriteWords,
  expression: expressionWords,
  rate_limit: rateLimitWords,
  approval: approvalWords,
} as const satisfies { readonly [Type in PolicyType]: PolicyWords<PolicyDocumentOf<Type>> }

// Object.keys is typed as a list of strings.
export const POLICY_TYPES = Object.keys(COMPILERS) as readonly PolicyType[]

export function isKnownPolicy(document: PolicyDocument): document is KnownPolicyDocument {
  return Object.hasOwn(COMPILERS, document.type)
}

/** null: the document is refused. */
export function compilePolicy(
  document: PolicyDocument,
  pointer: string,
  compilation: Compilation,
): Policy | null {
  if (!isKnownPolicy(document)) return customPolicy(document)
  const compile: PolicyCompiler<KnownPolicyDocument>['compile'] = COMPILERS[document.type]
  return compile(document, pointer, compilation)
}

export function policyRule(document: PolicyDocument): PolicyRule<PolicyDocument> {
  return isKnownPolicy(document) ? RULES[document.type] : customPolicyRule
}

export function describePolicy(document: PolicyDocument): string {
  const words: RuleWords<PolicyDocument> = isKnownPolicy(document)
    ? POLICY_WORDS[document.type]
    : customPolicyWords
  return words.describe(document)
}

interface PlainWords {
  readonly plain: string
  /** The whole text for the agent. Absent: `plain` quotes all of it. */
  readonly told?: string
}

/**
 * For people who do not read conditions: the first sentence that the author of a condition tells the agent. Null: it is no condition, or
 * has no text.
 */
export function plainWords(
  document: { readonly type: string; readonly reason?: unknown; readonly feedback?: unknown },
  prefix: string,
): PlainWords | null {
  const { type, reason, feedback } = document
  const told = reason ?? feedback
  if (type !== 'expression' || typeof told !== 'string') return null
  const [first = told] = told.split(/(?<=[.!?])\s/)
  const plain = `${prefix}: “${first}”`
  return first === told ? { plain } : { plain, told }
}

/** The words of a policy for every place that lists it. */
export function explainPolicy(document: PolicyDocument): string {
  return plainWords(document, 'Denies a call')?.plain ?? describePolicy(document)
}

/** A code that only another build knows has the basis `input`, like a rule that could not be evaluated. */
export function policyReason(code: string): PolicyReason<PolicyDocument> {
  const all: readonly Pick<PolicyWords<PolicyDocument>, 'reasons'>[] = [
    ...Object.values(POLICY_WORDS),
    customPolicyWords,
    contentWords,
  ]
  const words = all.find(({ reasons }) => Object.hasOwn(reasons, code))
  return words?.reasons[code] ?? { basis: 'input' }
}
