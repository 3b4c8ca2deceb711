// The public surface of the decision engine: what enforces, folds and renders. Views for people are in `views/`, advice for
// authors in `lint/`, conditions in `expression/`, a state's JSON in `snapshot/`, each a door of its own, so that an agent carries only the engine.
export {
  type CompiledConfig,
  type CompiledProvider,
  type CompileResult,
  compileConfig,
} from './compile.ts'
export type { CompileOptions, ExpressionRules } from './compile-options.ts'
export type { Checker } from './completion/checker.ts'
export { CHECKER_TYPES, isComposite } from './completion/registry.ts'
export type * from './config.ts'
export type * from './effect.ts'
export type * from './event.ts'
export type {
  ExpressionEngine,
  ExpressionProgram,
  ExpressionValue,
  ValueSource,
} from './expression-engine.ts'
export type {
  AnswerRequest,
  FactRequest,
  Facts,
  FileFact,
  GivenAdvice,
  RuleAnswer,
} from './fact.ts'
export { factsNeeded } from './facts-needed.ts'
export { durationText } from './feedback/duration.ts'
export { PROVIDER_TYPES } from './feedback/registry.ts'
export { renderFeedback, renderFeedbackPlain } from './feedback/render.ts'
export {
  isJsonObject,
  type JsonObject,
  type JsonPrimitive,
  type JsonValue,
  pointerTo,
} from './json.ts'
export type { LeaseDocument } from './lint/lease-calibration.ts'
export { normalizePath, type PathContext } from './path.ts'
export { POLICY_TYPES } from './policies/registry.ts'
export type { Problem, ProblemFix } from './problem.ts'
export type { Refusal } from './refusal.ts'
export { FIRST_SEMANTICS, knownSemantics, SEMANTICS } from './semantics.ts'
export { initialState, isPending, type SessionState } from './state.ts'
export { type Step, step } from './step.ts'
