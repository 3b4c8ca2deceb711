export type { HarnessCapabilities } from '@signalbox/runtime'
export {
  AI_SDK_6_CAPABILITIES,
  AI_SDK_6_PROFILE,
  AI_SDK_CAPABILITIES,
  AI_SDK_PROFILE,
  aiSdk6Profile,
  aiSdkProfile,
} from './capabilities.ts'
export {
  type ApprovalRequest,
  type GenerationGuard,
  type GuardOptions,
  guardGeneration,
} from './guard-generation.ts'
export {
  type FinishedTurn,
  type GenerationGuard6,
  guardGeneration6,
  type TurnOptions,
} from './guard-generation-6.ts'
export { judgeModel } from './judge-model.ts'
export { type PlanInput, planTool } from './plan-tool.ts'
export { type AnyPromptSession, promptTools } from './prompt-tools.ts'
export type { FinishedStep } from './step-guard.ts'
