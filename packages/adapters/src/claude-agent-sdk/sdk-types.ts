// The SDK is not a dependency, because it contains a program of 360 MB. Harness tests check that these types fit the real ones.
import type { ClaudeHookAnswer } from '../claude-code/index.ts'

/** Accepts any input that the SDK passes to its hooks. Never rejects. */
export type ClaudeHookCallback = (input: unknown) => Promise<ClaudeHookAnswer>

export interface ClaudeHookMatcher {
  hooks: ClaudeHookCallback[]
  timeout: number
  onFailure?: 'block'
}

export interface ClaudeHooks {
  UserPromptSubmit: ClaudeHookMatcher[]
  PreToolUse: ClaudeHookMatcher[]
  PostToolUse: ClaudeHookMatcher[]
  PostToolUseFailure: ClaudeHookMatcher[]
  PostToolBatch: ClaudeHookMatcher[]
  Stop: ClaudeHookMatcher[]
  SubagentStop: ClaudeHookMatcher[]
}
