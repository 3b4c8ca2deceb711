export type { Diagnostic, OnDiagnostic } from './base/diagnostic.ts'
export { GuardrailError, type GuardrailErrorCode } from './base/guardrail-error.ts'
export { SDK_VERSION } from './base/version.ts'
export type { SourceStatus, StartupPolicy } from './control-plane/config-source.ts'
export type { ApprovalAnswer, ApprovalSource, PendingCall } from './facts/approvals.ts'
export type {
  CheckQuestion,
  CustomChecker,
  CustomPolicy,
  CustomProvider,
  CustomRules,
  FeedbackQuestion,
  PolicyQuestion,
  RuleContext,
} from './facts/custom-rules.ts'
export { type FileLookup, folderLookup } from './facts/file-lookup.ts'
export type { JudgeModel, JudgeOptions, JudgeQuestion } from './facts/judge.ts'
export {
  type GuardToolsOptions,
  guardTools,
  type RequestedToolCall,
  type ToolAnswer,
  type ToolFunctions,
} from './session/guard-tools.ts'
export { createGuardrails, type Guardrails } from './session/guardrails.ts'
export type {
  GuardrailsOptions,
  OfflineOptions,
  OnlineOptions,
} from './session/guardrails-options.ts'
export type { HarnessCapabilities } from './session/harness-capabilities.ts'
export { type EvaluationPhase, PromptEvaluationError } from './session/prompt-evaluation-error.ts'
export type { RecordedSession } from './session/recorded-session.ts'
export type { GuardedSession, Pulse } from './session/session.ts'
export type {
  CallVerdict,
  ConfigOrigin,
  FeedbackChannel,
  FinalVerification,
  FinishedCall,
  Replacement,
  SessionEnd,
  StopAnswer,
  StopAttempt,
  ToolCall,
  ToolCallResult,
} from './session/session-answers.ts'
export type { SessionJournal, SessionOptions } from './session/session-options.ts'
export type {
  SessionTelemetry,
  Telemetry,
  TelemetryConfig,
  TelemetryStart,
} from './telemetry/telemetry.ts'
