// The public surface of the runtime: guardrails for any agent loop. Harness adapters are sub-paths.
export type { Posture, SourceStatus } from './config-source.ts'
export type { Diagnostic, OnDiagnostic } from './diagnostic.ts'
export { type FileLookup, folderLookup } from './file-lookup.ts'
export { GuardrailError, type GuardrailErrorCode } from './guardrail-error.ts'
export {
  createGuardrails,
  type Guardrails,
  type GuardrailsOptions,
  type OfflineOptions,
  type OnlineOptions,
  type SessionOptions,
} from './guardrails.ts'
export type {
  CallVerdict,
  ConfigOrigin,
  FeedbackChannel,
  FinalVerification,
  GuardedSession,
  StopAnswer,
  StopAttempt,
  ToolCall,
  ToolCallResult,
} from './session.ts'
export { SDK_VERSION } from './version.ts'
