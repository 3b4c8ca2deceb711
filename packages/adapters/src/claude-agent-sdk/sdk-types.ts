// The parts of the Claude Agent SDK's types that matter here. The SDK itself is no dependency: it brings a program of 360 MB.
// That these fit the real ones is tested in the harness lab.
import type { ClaudeHookAnswer } from '../claude-code/index.ts'

/** Accepts any input that the SDK passes to its hooks. Never rejects. */
export type ClaudeHookCallback = (input: unknown) => Promise<ClaudeHookAnswer>

export interface ClaudeHookMatcher {
  hooks: ClaudeHookCallback[]
  /** Seconds. */
  timeout: number
  onFailure?: 'block'
}

/** Value for the option `hooks` of `query()`. SessionStart and SessionEnd are left out: the SDK does not call them. */
export interface ClaudeHooks {
  UserPromptSubmit: ClaudeHookMatcher[]
  PreToolUse: ClaudeHookMatcher[]
  PostToolUse: ClaudeHookMatcher[]
  PostToolUseFailure: ClaudeHookMatcher[]
  PostToolBatch: ClaudeHookMatcher[]
  Stop: ClaudeHookMatcher[]
  SubagentStop: ClaudeHookMatcher[]
}
