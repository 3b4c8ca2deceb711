import type { HarnessCapabilities } from '@signalbox/runtime'
import type { HarnessProfile } from '@signalbox/runtime/harness'
import { HOOK_APPROVAL_SECONDS } from '@signalbox/runtime/harness'
import { OPENCODE_TOOLS } from './tools.ts'

export const OPENCODE_CAPABILITIES: HarnessCapabilities = {
  denyReason: true,
  inject: 'in_result',
  blockStop: 'in_loop',
  maxBlocks: null,
  structured: 'none',
  structuredAttempts: null,
  failure: 'event',
  callIds: true,
  batch: 'parallel',
  onGuardCrash: 'closed',
  onGuardTimeout: 'closed',
  approvalSeconds: HOOK_APPROVAL_SECONDS,
  replacesArguments: true,
  replacesResults: true,
  ungoverned: [
    'the StructuredOutput tool of a session with an output format',
    'every tool, in a process that could not load the plugin',
  ],
}

const FIRST_MEASURED = [1, 18] as const

/** Versions before 1.18, and unknown ones, may not call the plugin before the model reads the error of a failed call. */
export function opencodeProfile(version: string | null): HarnessProfile {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version ?? '') ?? []
  const [leastMajor, leastMinor] = FIRST_MEASURED
  const isMeasured =
    Number(major) > leastMajor || (Number(major) === leastMajor && Number(minor) >= leastMinor)
  return {
    name: 'opencode',
    ...(version === null ? {} : { version }),
    capabilities: isMeasured
      ? OPENCODE_CAPABILITIES
      : { ...OPENCODE_CAPABILITIES, replacesResults: false },
    tools: OPENCODE_TOOLS,
  }
}
