export { agentOpenApi } from './agent-openapi.ts'
export {
  AGENT_ANSWERS,
  AGENT_BODIES,
  type AgentBody,
  AgentHealth,
  type AgentPost,
  AgentSessionState,
  MAX_AGENT_BODY_BYTES,
  type OpenedSession,
  OverriddenStop,
  parseAgentBody,
} from './agent-v1.ts'
export { fromBase64Url, toBase64Url } from './base64url.ts'
export {
  type BatchLine,
  BatchLines,
  isGzipBatch,
  type LineRefusal,
  MAX_BATCH_BYTES,
  MAX_COMPRESSED_BYTES,
} from './batch-lines.ts'
export { BUNDLE_PARTS, type BundlePart, BundleV1, VERSION_PARTS } from './bundle-v1.ts'
export { byteLength } from './byte-length.ts'
export {
  AwaitAnswerRequest,
  AwaitAnswerResponse,
  CallAnswerV1,
  LONGEST_HOLD_MS,
  openCallAnswer,
  signCallAnswer,
} from './call-answer-v1.ts'
export { Claim, ClaimsV1 } from './claims-v1.ts'
export { cohortPoint, FULL_SHARE, isInShare } from './cohort.ts'
export {
  formatVersionReference,
  parseVersionReference,
  type VersionReference,
} from './config-reference.ts'
export { ConfigV1 } from './config-v1.ts'
export { RuleAnswerV1 } from './decision-v1.ts'
export {
  bytesHash,
  canonicalJson,
  computeDigest,
  eventHash,
  isLinked,
  textDigest,
} from './digest.ts'
export {
  EVENT_SCHEMAS,
  EventV1,
  isKnownEventType,
  MOST_FINDINGS,
  type UnknownEvent,
  UnknownEventV1,
} from './event-v1.ts'
export { type FolderEntry, FolderStateV1 } from './folder-state-v1.ts'
export {
  DEMO_NAMESPACE,
  DEMO_RUNTIME,
  DEMO_SESSION_START,
  IMPORTED_SESSION_START,
  importedSessionId,
  isCountedSession,
  isDemoSession,
  isImportedSession,
  newDemoSessionId,
  newId,
  parseEventId,
  toApprovalId,
  toDecisionId,
  toEventId,
  toStopId,
} from './ids.ts'
export { parseForm } from './issue-sentence.ts'
export { locateJsonError } from './json-error.ts'
export { jsonSchemas } from './json-schemas.ts'
export {
  computeKeyId,
  KeyRecordV1,
  KeysResponse,
  MOST_KEY_RECORDS,
  openKeyRecord,
  readKeyRecord,
  type SignedKeyRecord,
  signKeyRecord,
} from './key-record-v1.ts'
export {
  type ExportedCase,
  ExportedConfig,
  type ExportedLog,
  ExportV1,
  ImportAnswer,
  ImportRequest,
} from './manage-export-v1.ts'
export { ManagedRow, ManagedRows } from './manage-list-v1.ts'
export { ManagedPrevention, PreventingChange } from './manage-prevention-v1.ts'
export {
  ACKNOWLEDGED,
  EnvironmentList,
  GUARD_METRICS,
  ListedRelease,
  MadeRelease,
  PromoteRequest,
  PublishRequest,
  RELEASE_KINDS,
  ReleaseAdoption,
  ReleasePage,
  ReleaseProblem,
  RollbackRequest,
} from './manage-release-v1.ts'
export { ManagedSuggestion, ManagedSuggestions } from './manage-suggestions-v1.ts'
export {
  ConfigCreation,
  ConfigPage,
  ConfigProblem,
  ConfigUpdate,
  DiffAnswer,
  DiffRequest,
  DraftWrite,
  InheritanceAnswer,
  LintAnswer,
  LintRequest,
  LivePointer,
  MAX_TEXT_CHARACTERS,
  ManagedConfig,
  ManagedDraft,
  ManagedVersion,
  MandatoryBaseAnswer,
  SavedDraft,
  VersionNumber,
  VersionPage,
  VersionText,
} from './manage-v1.ts'
export {
  EnvironmentName,
  MAX_CONFIG_BYTES,
  MAX_EVENT_BYTES,
  OrderReason,
  PromptKey,
  PromptNs,
  SessionId,
} from './names.ts'
export { isTooDeep, MAX_DEPTH } from './nesting.ts'
export { type ParsedConfig, parseConfigSource, parseConfigText } from './parse-config.ts'
export { type ParsedEvent, parseEvent, parseEventLine } from './parse-event.ts'
export {
  MAX_PORTABLE_BYTES,
  PortableHeadV1,
  portableEnds,
  sealPortableBundle,
} from './portable-bundle-v1.ts'
export { type DeclaredAddress, ProjectFileV1, ROLE_SCOPES } from './project-v1.ts'
export { promptFromPath, promptPath } from './prompt-path.ts'
export { readPortableBundle } from './read-portable.ts'
export { MAX_REDACTED_ENTRIES, type Redact, redactor } from './redact.ts'
export {
  EventsResponse,
  HeartbeatRequest,
  HeartbeatResponse,
  HeartbeatsRequest,
  HeartbeatsResponse,
  MOST_HEARTBEATS,
  MOST_KEYS_REPORTED,
  MOST_MOVED_SESSIONS,
  MOST_ORDERS,
  ProblemV1,
  PushedBundle,
  RegisterRequest,
  RegisterResponse,
  RevisionRequest,
  RevisionResponse,
} from './runtime-v1.ts'
export { readSchemaAddress, withoutSchemaAddress, withSchemaAddress } from './schema-address.ts'
export {
  GivenSessionOrder,
  ORDER_ACTIONS,
  openSessionOrder,
  SessionOrderV1,
  SignedSessionOrder,
  signSessionOrder,
} from './session-order-v1.ts'
export { derivePublicKey, signText, verifyText } from './signature.ts'
