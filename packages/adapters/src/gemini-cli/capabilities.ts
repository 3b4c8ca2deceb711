import type { HarnessCapabilities } from '@signalbox/runtime'
import type { HarnessProfile } from '@signalbox/runtime/harness'
import { HOOK_APPROVAL_SECONDS } from '@signalbox/runtime/harness'
import { GEMINI_TOOLS } from './tools.ts'

export const GEMINI_CLI_CAPABILITIES: HarnessCapabilities = {
  denyReason: true,
  inject: 'in_result',
  blockStop: 'in_loop',
  maxBlocks: null,
  structured: 'none',
  structuredAttempts: null,
  failure: 'text',
  callIds: false,
  batch: 'parallel',
  onGuardCrash: 'closed',
  onGuardTimeout: 'closed',
  approvalSeconds: HOOK_APPROVAL_SECONDS,
  replacesArguments: true,
  replacesResults: true,
  ungoverned: [],
}

const FIRST_MEASURED = 61

/** Versions before 0.61, and unknown ones, do not guarantee that a broken guard stops a call. */
export function geminiCliProfile(version: string | null): HarnessProfile {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version ?? '') ?? []
  const measured = Number(major) > 0 || Number(minor) >= FIRST_MEASURED
  return {
    name: 'gemini-cli',
    ...(version === null ? {} : { version }),
    capabilities: measured
      ? GEMINI_CLI_CAPABILITIES
      : {
          ...GEMINI_CLI_CAPABILITIES,
          onGuardCrash: 'open',
          onGuardTimeout: 'open',
          replacesArguments: false,
          replacesResults: false,
        },
    tools: GEMINI_TOOLS,
    // Gemini CLI escapes `<` and `>` in texts from hooks.
    plainFeedback: true,
  }
}
