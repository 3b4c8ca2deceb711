// Signalbox for the AI SDK (`ai` 7).
export { AI_SDK_CAPABILITIES, type HarnessCapabilities } from './capabilities.ts'
export {
  type ApprovalRequest,
  type FinishedStep,
  type GenerationGuard,
  guardGeneration,
} from './guard-generation.ts'
export { judgeModel } from './judge-model.ts'
export { type PlanInput, planTool } from './plan-tool.ts'
export { type AnyPromptSession, promptTools } from './prompt-tools.ts'
