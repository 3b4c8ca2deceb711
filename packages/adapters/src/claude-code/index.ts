export type { ClaudeHookAnswer } from './answer-hook.ts'
export { type ClaudeWay, claudeCapabilities, claudeVersion } from './capabilities.ts'
export {
  type ClaudeHarness,
  claudeByCallback,
  claudeCode,
  claudeCodeByCommand,
} from './claude-code.ts'
export {
  CLAUDE_AGENT_HEADER,
  type ClaudeHookSettings,
  claudeHookSettings,
} from './hook-settings.ts'
