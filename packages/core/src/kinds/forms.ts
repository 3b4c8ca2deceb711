// Parts of rule types for authors only, by type: editor forms and lint advice. A missing one does not compile. The engine does not import
// this file, so that code that enforces or explains does not carry it.

import { expressionCheckerForm } from './checkers/expression.form.ts'
import { filesExistForm } from './checkers/files-exist.form.ts'
import { llmJudgeForm } from './checkers/llm-judge.form.ts'
import { planForm } from './checkers/plan.form.ts'
import { toolSucceededForm } from './checkers/tool-succeeded.form.ts'
import type { CheckerDocumentOf, CheckerType } from './checkers.ts'
import { deadlineForm } from './feedback/deadline.form.ts'
import type { ProviderForm } from './feedback/provider-rule.ts'
import { repeatedCallForm } from './feedback/repeated-call.form.ts'
import { repeatedFailureForm } from './feedback/repeated-failure.form.ts'
import { staticForm } from './feedback/static-message.form.ts'
import { toolUsageForm } from './feedback/tool-usage.form.ts'
import {
  type FeedbackProviderDocument,
  isKnownProvider,
  type ProviderDocumentOf,
  type ProviderType,
} from './feedback.ts'
import { approvalForm } from './policies/approval.form.ts'
import { expressionForm } from './policies/expression.form.ts'
import type { PolicyForm } from './policies/policy-rule.ts'
import { rateLimitForm } from './policies/rate-limit.form.ts'
import { readBeforeWriteForm } from './policies/read-before-write.form.ts'
import { sequentialDependencyForm } from './policies/sequential-dependency.form.ts'
import {
  isKnownPolicy,
  type PolicyDocument,
  type PolicyDocumentOf,
  type PolicyType,
} from './policies.ts'
import type { RedactionKind, RedactionRuleDocument } from './redaction.ts'
import type { FormField, RuleForm } from './rule-words.ts'

// In the order in which the editor offers them.

export const POLICY_FORMS = {
  sequential_dependency: sequentialDependencyForm,
  read_before_write: readBeforeWriteForm,
  expression: expressionForm,
  rate_limit: rateLimitForm,
  approval: approvalForm,
} as const satisfies { readonly [Type in PolicyType]: PolicyForm<PolicyDocumentOf<Type>> }

export const CHECKER_FORMS = {
  plan: planForm,
  files_exist: filesExistForm,
  tool_succeeded: toolSucceededForm,
  llm_judge: llmJudgeForm,
  expression: expressionCheckerForm,
  composite: {
    label: 'Composite',
    sample: { id: 'all', type: 'composite', checkers: [] },
    form: [{ control: 'checkers', field: 'checkers' }],
  },
} as const satisfies { readonly [Type in CheckerType]: RuleForm<CheckerDocumentOf<Type>> }

export const PROVIDER_FORMS = {
  deadline: deadlineForm,
  static: staticForm,
  tool_usage: toolUsageForm,
  repeated_failure: repeatedFailureForm,
  repeated_call: repeatedCallForm,
} as const satisfies { readonly [Type in ProviderType]: ProviderForm<ProviderDocumentOf<Type>> }

const REDACTION_FIELDS = {
  keys: {
    control: 'names',
    field: 'keys',
    label: 'Redact the values of properties',
    adding: 'add property',
  },
  literals: {
    control: 'names',
    field: 'literals',
    label: 'Redact these texts everywhere',
    adding: 'add text',
  },
} as const satisfies { readonly [Kind in RedactionKind]: FormField<Kind> }

export const REDACTION_FORM: RuleForm<RedactionRuleDocument> = {
  label: 'Redaction',
  sample: { id: 'secrets', keys: ['password'] },
  form: Object.values(REDACTION_FIELDS),
}

/** Form of the document's type; null: code outside core answers for the type, so nothing is known about it. */
export function policyForm(
  document: PolicyDocument,
): Omit<PolicyForm<PolicyDocument>, 'form'> | null {
  return isKnownPolicy(document) ? POLICY_FORMS[document.type] : null
}

/** Form of the document's type; null: code outside core gives the feedback, so nothing is known about it. */
export function providerForm(
  document: FeedbackProviderDocument,
): Omit<ProviderForm<FeedbackProviderDocument>, 'form'> | null {
  return isKnownProvider(document) ? PROVIDER_FORMS[document.type] : null
}
