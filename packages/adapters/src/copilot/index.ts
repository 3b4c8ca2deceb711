export { COPILOT_CAPABILITIES } from './capabilities.ts'
export { copilot, copilotHarness } from './copilot.ts'
export { copilotHooks } from './hooks-file.ts'
