export type { Observation, Severity } from '@signalbox/core'
export { type EvaluationPhase, PromptEvaluationError } from '@signalbox/runtime'
export {
  createPromptSession,
  type PromptEnd,
  PromptSession,
  type PromptStop,
} from './executor/prompt-session.ts'
export type { PromptSessionOptions } from './executor/session-parts.ts'
export type { ParsedRequest, ToolExecution, ToolRequest } from './executor/tool-executor.ts'
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
} from './prompt/built-in-checkers.ts'
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
} from './prompt/built-in-policies.ts'
export {
  DeadlineFeedback,
  type DeadlineFeedbackOptions,
  RepeatedCallFeedback,
  RepeatedFailureFeedback,
  StaticFeedbackProvider,
  ToolUsageMonitor,
} from './prompt/built-in-providers.ts'
export type { DeclaredChecker } from './prompt/checker-declaration.ts'
export {
  type CompletionAnswer,
  type TaskCompletionChecker,
  type TaskCompletionContext,
  TaskCompletionResult,
} from './prompt/completion.ts'
export { Feedback, type FeedbackOptions, type FeedbackPlace } from './prompt/feedback.ts'
export { FeedbackContext } from './prompt/feedback-context.ts'
export type {
  FeedbackProvider,
  FeedbackTrigger,
  FileCreatedTrigger,
} from './prompt/feedback-provider.ts'
export type { DeclaredPolicy, PolicyDeclaration } from './prompt/policy-declaration.ts'
export { Prompt, type RenderedPrompt } from './prompt/prompt.ts'
export type { PromptInfo } from './prompt/prompt-info.ts'
export {
  type ConfigExtras,
  type PromptParameters,
  PromptTemplate,
  type PromptTemplateOptions,
} from './prompt/prompt-template.ts'
export type { DeclaredProvider, FeedbackProviderConfig } from './prompt/provider-declaration.ts'
export { resolveChecker } from './prompt/resolve-checker.ts'
export { defineResource, type Resource, type ResourceKey, Resources } from './prompt/resources.ts'
export type { RuleOptions } from './prompt/rule-options.ts'
export { MarkdownSection, type MarkdownSectionOptions } from './prompt/section.ts'
export {
  type AnyTool,
  Tool,
  type ToolContext,
  type ToolHandler,
  type ToolOptions,
} from './prompt/tool.ts'
export {
  type FinishedPolicyCall,
  type PolicyAnswer,
  type PolicyCall,
  type PolicyContext,
  PolicyDecision,
  type ToolPolicy,
} from './prompt/tool-policy.ts'
export { ToolResult } from './prompt/tool-result.ts'
export {
  Budget,
  type BudgetDimension,
  type BudgetOptions,
  BudgetTracker,
  type Exhaustion,
  type TokenUsage,
} from './state/budget.ts'
export {
  FeedbackHistory,
  type FeedbackRecord,
  Plan,
  PromptExecuted,
  PromptRendered,
  ToolInvoked,
} from './state/built-in-slices.ts'
export { Deadline, type DeadlineOptions } from './state/deadline.ts'
export { Session, type SessionOptions, type SnapshotOptions } from './state/session.ts'
export type { SessionAccess, Slice } from './state/session-access.ts'
export {
  append,
  appendAll,
  type DispatchedEvent,
  defineEvent,
  defineSlice,
  type EventOptions,
  type EventType,
  on,
  type Reducer,
  type ReducerBinding,
  replace,
  replaceLatest,
  type SliceChange,
  type SliceDefinition,
  type SliceKind,
  type SliceOptions,
  type SliceView,
  upsertBy,
} from './state/slice.ts'
export type { SessionSnapshot } from './state/snapshot.ts'
export type { SessionTransaction } from './state/transaction.ts'
export type { FileStore, StoredFile, WorkspaceEntry } from './workspace/file-store.ts'
export {
  folderWorkspace,
  memoryWorkspace,
  Workspace,
  type WorkspaceAccess,
  type WorkspaceOptions,
  type WorkspaceTransaction,
} from './workspace/workspace.ts'
export type { Rollback } from './workspace/write-journal.ts'
