// Compiling, folding and deciding. Every folder with an `index.ts` is a separate entry point, so that a program loads only what it uses.
export {
  type CompiledConfig,
  type CompiledProvider,
  type CompileResult,
  compileConfig,
} from './engine/compile.ts'
export { type Step, step } from './engine/step.ts'
export type { Checker } from './kinds/checkers/checker.ts'
export type { CustomCheckerDocument } from './kinds/checkers/custom.ts'
export type { CheckerDocument, KnownCheckerDocument } from './kinds/checkers.ts'
export { isComposite } from './kinds/checkers.ts'
export type { CompileOptions, ExpressionRules } from './kinds/compile-options.ts'
export type {
  ConfigDocument,
  ConfigSource,
  LimitsDocument,
  SectionDocument,
} from './kinds/config.ts'
export type { CompiledContentRule, ContentRuleDocument } from './kinds/content/content-rule.ts'
export type { CustomProviderDocument } from './kinds/feedback/custom.ts'
export type { FeedbackProviderDocument, KnownProviderDocument } from './kinds/feedback.ts'
export type { CustomPolicyDocument } from './kinds/policies/custom.ts'
export type { KnownPolicyDocument, PolicyDocument } from './kinds/policies.ts'
export type { RedactionKind, RedactionRuleDocument } from './kinds/redaction.ts'
export { DENIED_BY_POLICY, TASKS_INCOMPLETE } from './model/default-texts.ts'
export type * from './model/effect.ts'
export type * from './model/event.ts'
export type {
  ExpressionEngine,
  ExpressionProgram,
  ExpressionValue,
  ValueSource,
} from './model/expression-engine.ts'
export type {
  AnswerRequest,
  ContentFacts,
  ContentFinding,
  FactRequest,
  Facts,
  FileFact,
  GivenAdvice,
  RuleAnswer,
} from './model/fact.ts'
export {
  isJsonObject,
  type JsonObject,
  type JsonPrimitive,
  type JsonValue,
  omitUndefined,
  pointerTo,
} from './model/json.ts'
export type { LeaseDocument } from './model/lease-calibration.ts'
export type { PathContext } from './model/path.ts'
export type { Problem, ProblemFix } from './model/problem.ts'
export type { Refusal } from './model/refusal.ts'
export type { RuleMode, RuleOrigin } from './model/rule.ts'
export { FIRST_SEMANTICS, SEMANTICS } from './model/semantics.ts'
export { initialState, isPending, type Replaceable, type SessionState } from './model/state.ts'
export type { TriggerCondition, TriggerDocument } from './model/trigger.ts'
