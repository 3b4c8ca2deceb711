// Signalbox for the AI SDK (`ai` 7).
export { type FinishedStep, type GenerationGuard, guardGeneration } from './guard-generation.ts'
export { type PlanInput, planTool } from './plan-tool.ts'
