import type { HarnessCapabilities } from '@signalbox/runtime'
import type { HarnessProfile } from '@signalbox/runtime/harness'
import { HOOK_APPROVAL_SECONDS } from '@signalbox/runtime/harness'
import { CODEX_TOOLS } from './tools.ts'

/** Capabilities of Codex (measured on 0.169.0) with a hook command that turns each of its failures into exit code 2. */
export const CODEX_CAPABILITIES: HarnessCapabilities = {
  denyReason: true,
  inject: 'message',
  blockStop: 'in_loop',
  maxBlocks: null,
  structured: 'final_message',
  structuredAttempts: null,
  // The session file that every hook names records how each call ended.
  failure: 'stream',
  callIds: true,
  batch: 'parallel',
  onGuardCrash: 'closed',
  onGuardTimeout: 'closed',
  approvalSeconds: HOOK_APPROVAL_SECONDS,
  replacesArguments: false,
  replacesResults: false,
  ungoverned: [
    'text that is typed into a running command (write_stdin), unless features.unified_exec_tty is off',
    'web search and image generation, which run at the provider',
  ],
}

const NOT_MEASURED: HarnessCapabilities = {
  ...CODEX_CAPABILITIES,
  failure: 'none',
  onGuardCrash: 'open',
  onGuardTimeout: 'open',
  approvalSeconds: HOOK_APPROVAL_SECONDS,
  replacesArguments: false,
  replacesResults: false,
}

const FIRST_MEASURED = [0, 169] as const

/** `version` null or without numbers: not measured. */
export function codexProfile(version: string | null): HarnessProfile {
  return {
    name: 'codex',
    ...(version === null ? {} : { version }),
    capabilities: isMeasured(version) ? CODEX_CAPABILITIES : NOT_MEASURED,
    tools: CODEX_TOOLS,
  }
}

function isMeasured(version: string | null): boolean {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version ?? '') ?? []
  if (major === undefined || minor === undefined) return false
  const [atLeastMajor, atLeastMinor] = FIRST_MEASURED
  return Number(major) > atLeastMajor || Number(minor) >= atLeastMinor
}
