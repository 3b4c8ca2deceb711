// Signalbox for GitHub Copilot CLI.
export { COPILOT_CAPABILITIES } from './capabilities.ts'
export { copilot, copilotHarness } from './copilot.ts'
export { copilotHooks } from './hooks-file.ts'
