import type { HarnessProfile, HookAnswer, HookEvent, HookHarness } from '@signalbox/runtime/harness'
import { answerHook, type ClaudeHookAnswer, refuseHook } from './answer-hook.ts'
import { type ClaudeWay, claudeCapabilities } from './capabilities.ts'
import { CLAUDE_TOOLS } from './native-tools.ts'
import { readHook } from './read-hook.ts'

export interface ClaudeHarness extends HookHarness {
  answer(event: HookEvent, answer: HookAnswer): ClaudeHookAnswer | null
  refuse(payload: unknown, reason: string): ClaudeHookAnswer | null
}

function claudeBy(way: ClaudeWay, name: string): ClaudeHarness {
  return {
    name,
    profile: (version) => claudeProfile(version, way, name),
    read: readHook,
    answer: answerHook,
    refuse: refuseHook,
  }
}

function claudeProfile(version: string | null, way: ClaudeWay, name: string): HarnessProfile {
  return {
    name,
    ...(version === null ? {} : { version }),
    capabilities: claudeCapabilities(version, way),
    tools: CLAUDE_TOOLS,
  }
}

export const claudeCode: ClaudeHarness = claudeBy('http', 'claude-code')

/** Claude Code with command hooks, whose shim refuses if it cannot reach the daemon. */
export const claudeCodeByCommand: ClaudeHarness = claudeBy('command', 'claude-code')

export const claudeByCallback: ClaudeHarness = claudeBy('callback', 'claude-agent-sdk')
