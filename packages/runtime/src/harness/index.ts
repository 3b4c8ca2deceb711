export { describeError } from '../base/guardrail-error.ts'
export { capabilitiesRecord, HOOK_APPROVAL_SECONDS } from '../session/harness-capabilities.ts'
export { answerTo } from './answer-to.ts'
export { type ReadTail, readFileTail } from './file-tail.ts'
export type { HarnessProfile } from './harness-profile.ts'
export { HarnessSession, type HarnessStop, type HarnessVerdict } from './harness-session.ts'
export {
  type HookAnswer,
  type HookEvent,
  type HookHarness,
  type HookInput,
  type HookKnowledge,
  HookPayloadError,
  type ReplacedContent,
} from './hook-harness.ts'
export { type HookContext, HookHost, type HookHostOptions, type HookKey } from './hook-host.ts'
export { HookPayload } from './hook-payload.ts'
export type { NativeCall, NativeResult, NativeStop } from './native-call.ts'
export type { FinishedPlanCall, NativeTool, NativeTools } from './native-tools.ts'
export {
  changesIn,
  changesInCommand,
  type FilePart,
  listChangeParts,
  type PatchChange,
  withoutFile,
} from './patch.ts'
export { refusingCommand, refusingStopCommand } from './refusing-command.ts'
export { type JudgedCall, VerdictBook } from './verdict-book.ts'
