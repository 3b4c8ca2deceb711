// The public surface of the runtime: guardrails for any agent loop. Harness adapters are sub-paths.
export type { ApprovalAnswer, ApprovalSource, PendingCall } from './approvals.ts'
export type { Posture, SourceStatus } from './config-source.ts'
export type {
  CheckQuestion,
  CustomChecker,
  CustomPolicy,
  CustomProvider,
  CustomRules,
  FeedbackQuestion,
  PolicyQuestion,
  RuleContext,
} from './custom-rules.ts'
export type { Diagnostic, OnDiagnostic } from './diagnostic.ts'
export { type FileLookup, folderLookup } from './file-lookup.ts'
export { GuardrailError, type GuardrailErrorCode } from './guardrail-error.ts'
export { createGuardrails, type Guardrails } from './guardrails.ts'
export type { GuardrailsOptions, OfflineOptions, OnlineOptions } from './guardrails-options.ts'
export type { HarnessCapabilities } from './harness-capabilities.ts'
export type { JudgeModel, JudgeOptions, JudgeQuestion } from './judge.ts'
export { Heartbeat, type HeartbeatOptions } from './lease/heartbeat.ts'
export {
  type Attachment,
  type LeasedMessage,
  LeaseExtender,
  type LeaseExtenderOptions,
} from './lease/lease-extender.ts'
export type { LeaseLog } from './lease/lease-log.ts'
export { ReceiptHandleExpiredError } from './lease/receipt-handle-expired-error.ts'
export {
  AgentLoop,
  AgentLoop as MainLoop,
  type AgentLoopOptions,
  type StopOptions,
} from './loop/agent-loop.ts'
export type { DeadLetterSettings, ErrorType } from './loop/dead-letter-rule.ts'
export {
  EvalLoop,
  type EvalLoopOptions,
  type EvalRequest,
  type EvalResult,
  type EvalSample,
  type EvalScore,
  type Evaluator,
} from './loop/eval-loop.ts'
export type { LeaseTimes } from './loop/loop-settings.ts'
export type { Handle, HandleContext, HandledMessage, LoopReply } from './loop/supervise.ts'
export { Watchdog, type WatchdogOptions, type WatchedLoop } from './loop/watchdog.ts'
export { InMemoryMailbox } from './mailbox/in-memory-mailbox.ts'
export type {
  DeadLetter,
  DeadLetterOptions,
  Mailbox,
  MailboxOptions,
  Message,
  ReceiveOptions,
  ReplyAddress,
  SendOptions,
} from './mailbox/mailbox.ts'
export { type EvaluationPhase, PromptEvaluationError } from './prompt-evaluation-error.ts'
export type { RecordedSession } from './recorded-session.ts'
export type { GuardedSession, Pulse } from './session.ts'
export type {
  CallVerdict,
  ConfigOrigin,
  FeedbackChannel,
  FinalVerification,
  SessionEnd,
  StopAnswer,
  StopAttempt,
  ToolCall,
  ToolCallResult,
} from './session-answers.ts'
export type { SessionJournal, SessionOptions } from './session-options.ts'
export type {
  SessionTelemetry,
  Telemetry,
  TelemetryConfig,
  TelemetryStart,
} from './telemetry/telemetry.ts'
export { SDK_VERSION } from './version.ts'
