// Registers policy types with their documents. A type is its own file, its form in forms.ts, and its lines here; a missing part does not
// compile. Compilers, rules and words are separate registries, so that an agent loads only what the engine needs.

import type { RuleResult } from '../model/effect.ts'
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
import { namesIn, type PolicyReason, type Step, step } from './policy-reason.ts'
import { describeCalls, type RuleWords } from './rule-words.ts'

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
} as const satisfies { readonly [Type in PolicyType]: PolicyCompiler<PolicyDocumentOf<Type>> }

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
} as const satisfies { readonly [Type in PolicyType]: RuleWords<PolicyDocumentOf<Type>> }

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
  const compiler: PolicyCompiler<KnownPolicyDocument> = COMPILERS[document.type]
  return compiler.compile(document, pointer, compilation)
}

export function policyRule(document: PolicyDocument): PolicyRule<PolicyDocument> {
  return isKnownPolicy(document) ? RULES[document.type] : customPolicyRule
}

export function describePolicy(policy: PolicyDocument): string {
  if (!isKnownPolicy(policy)) {
    return `Custom type \`${policy.type}\` decides ${describeCalls(policy.tools)}`
  }
  const words: RuleWords<KnownPolicyDocument> = POLICY_WORDS[policy.type]
  return words.describe(policy)
}

interface Reasons {
  readonly [code: string]: PolicyReason<PolicyDocument>
}

const path = ({ params }: RuleResult): string => `\`${String(params['path'] ?? '')}\``

/** `again`: word with a leading space, or empty. */
function readStep(
  { params }: RuleResult,
  policy: PolicyDocument | undefined,
  again: string,
): readonly Step[] {
  const file = String(params['path'] ?? '')
  const tools = policy !== undefined && 'read_tools' in policy ? policy.read_tools : []
  const readers = tools.map((name) => `\`${name}\``).join(' or ') || 'a reading tool'
  const [tool] = tools
  const call = tool === undefined ? null : `${tool} ${file}`
  return [step('agent', `Read \`${file}\`${again} with ${readers}`, call)]
}

/** By policy type and reason code. */
export const POLICY_REASONS = {
  sequential_dependency: {
    'sequential.satisfied': { basis: 'tools' },
    'sequential.missing': {
      basis: 'missing_tools',
      steps: ({ params }) =>
        namesIn(params['missing']).map((tool) =>
          step('agent', `Run \`${tool}\` until it succeeds`, tool),
        ),
    },
  },
  read_before_write: {
    'file.new': { basis: 'file' },
    'file.was_read': { basis: 'read_file' },
    'file.not_read': {
      basis: 'unread_file',
      steps: (denial, policy) => readStep(denial, policy, ''),
    },
    'file.changed': {
      basis: 'changed_file',
      steps: (denial, policy) => readStep(denial, policy, ' again'),
    },
    'file.is_directory': {
      basis: 'file',
      steps: (denial) => [step('agent', `Use a file instead of the directory ${path(denial)}`)],
    },
    'file.outside_workspace': {
      basis: 'path',
      steps: (denial) => [
        step('agent', `Write to a file inside the workspace instead of ${path(denial)}`),
      ],
    },
    'file.existence_unknown': {
      basis: 'unknown_file',
      steps: (denial) => [step('operator', `Make ${path(denial)} visible to the runtime`)],
    },
    'file.path_hidden': {
      basis: 'path',
      steps: () => [step('config', 'Stop redacting the path argument')],
    },
    'file.behind_link': {
      basis: 'path',
      steps: (denial) => [step('agent', `Write ${path(denial)} without '..'`)],
    },
    'file.too_many_paths': {
      basis: 'path',
      steps: ({ params }) => [
        step('agent', `Write at most ${String(params['most'])} files in one call`),
      ],
    },
    'arguments.not_an_object': {
      basis: 'input',
      steps: () => [step('agent', 'Pass the arguments as an object')],
    },
  },
  expression: {
    'expression.allows': { basis: 'input' },
    'expression.denies': {
      basis: 'input',
      steps: ({ rule }) => [
        step('config', `Change the call, or change the condition of \`${rule}\``),
      ],
    },
    'expression.not_evaluated': { basis: 'input' },
  },
  rate_limit: {
    'rate.within_limit': { basis: 'calls' },
    'rate.exceeded': {
      basis: 'calls',
      steps: ({ params }) => [
        step(
          'agent',
          `Wait until there are fewer calls in the last ${String(params['per_seconds'])} s`,
        ),
      ],
    },
  },
  approval: {
    'approval.approved': { basis: 'approval' },
    'approval.denied': { basis: 'approval', steps: approveStep },
    'approval.timed_out': { basis: 'approval', steps: approveStep },
    'approval.unavailable': {
      basis: 'approval',
      steps: () => [step('operator', 'Connect the runtime, so that someone can be asked')],
    },
    'approval.would_ask': { basis: 'input' },
  },
  custom: {
    'custom.allows': { basis: 'answer' },
    'custom.denies': {
      basis: 'answer',
      steps: ({ rule }) => [step('operator', `Do what \`${rule}\` asks for, or change its code`)],
    },
    'answer.missing': { basis: 'answer' },
  },
} as const satisfies { readonly [Type in PolicyType | 'custom']: Reasons }

function approveStep(): readonly Step[] {
  return [step('operator', 'Approve the call when it is asked for again')]
}

/** A code that only another build knows has the basis `input`, like a rule that could not be evaluated. */
export function policyReason(code: string): PolicyReason<PolicyDocument> {
  const all: readonly Reasons[] = Object.values(POLICY_REASONS)
  const reasons = all.find((candidate) => Object.hasOwn(candidate, code))
  return reasons?.[code] ?? { basis: 'input' }
}
