// Prompts with their tools and guardrails, and the session that runs one (specs/library.md).
export type { Observation, Severity } from '@signalbox/core'
export { type EvaluationPhase, PromptEvaluationError } from '../prompt-evaluation-error.ts'
export {
  type CheckerOptions,
  CompositeChecker,
  type CompositeOptions,
  ExpressionChecker,
  type ExpressionCheckerOptions,
  FilesExistChecker,
  FilesExistChecker as FileExistsChecker,
  LLMJudgeChecker,
  type LLMJudgeOptions,
  PlanBasedChecker,
  type PlanBasedOptions,
  ToolSucceededChecker,
  type ToolSucceededOptions,
} from './built-in-checkers.ts'
export {
  type ApprovalOptions,
  ApprovalPolicy,
  ExpressionPolicy,
  type ExpressionPolicyOptions,
  type RateLimitOptions,
  RateLimitPolicy,
  type ReadBeforeWriteOptions,
  ReadBeforeWritePolicy,
  type SequentialDependencyOptions,
  SequentialDependencyPolicy,
} from './built-in-policies.ts'
export {
  DeadlineFeedback,
  type DeadlineFeedbackOptions,
  RepeatedCallFeedback,
  RepeatedFailureFeedback,
  StaticFeedbackProvider,
  ToolUsageMonitor,
} from './built-in-providers.ts'
export type { DeclaredChecker } from './checker-declaration.ts'
export {
  type CompletionAnswer,
  type TaskCompletionChecker,
  type TaskCompletionContext,
  TaskCompletionResult,
} from './completion.ts'
export {
  createPromptSession,
  type PromptEnd,
  PromptSession,
  type PromptStop,
} from './executor/prompt-session.ts'
export type { PromptSessionOptions } from './executor/session-parts.ts'
export type { ParsedRequest, ToolExecution, ToolRequest } from './executor/tool-executor.ts'
export { Feedback, type FeedbackOptions, type FeedbackPlace } from './feedback.ts'
export { FeedbackContext } from './feedback-context.ts'
export type { FeedbackProvider, FeedbackTrigger, FileCreatedTrigger } from './feedback-provider.ts'
export type { DeclaredPolicy, PolicyDeclaration } from './policy-declaration.ts'
export { Prompt, type RenderedPrompt } from './prompt.ts'
export type { PromptInfo } from './prompt-info.ts'
export {
  type ConfigExtras,
  type PromptParameters,
  PromptTemplate,
  type PromptTemplateOptions,
} from './prompt-template.ts'
export type { DeclaredProvider, FeedbackProviderConfig } from './provider-declaration.ts'
export { resolveChecker } from './resolve-checker.ts'
export { defineResource, type Resource, type ResourceKey, Resources } from './resources.ts'
export type { RuleOptions } from './rule-options.ts'
export { MarkdownSection, type MarkdownSectionOptions } from './section.ts'
export { type AnyTool, Tool, type ToolContext, type ToolHandler, type ToolOptions } from './tool.ts'
export {
  type FinishedPolicyCall,
  type PolicyAnswer,
  type PolicyCall,
  type PolicyContext,
  PolicyDecision,
  type ToolPolicy,
} from './tool-policy.ts'
export { ToolResult } from './tool-result.ts'
