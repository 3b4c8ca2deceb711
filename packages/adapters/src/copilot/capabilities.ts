import type { HarnessCapabilities } from '@signalbox/runtime'
import type { HarnessProfile } from '@signalbox/runtime/harness'
import { HOOK_APPROVAL_SECONDS } from '@signalbox/runtime/harness'
import { COPILOT_TOOLS } from './tools.ts'

export const COPILOT_CAPABILITIES: HarnessCapabilities = {
  denyReason: true,
  inject: 'in_result',
  blockStop: 'in_loop',
  maxBlocks: 8,
  structured: 'none',
  structuredAttempts: null,
  failure: 'text',
  callIds: false,
  batch: 'parallel',
  onGuardCrash: 'closed',
  onGuardTimeout: 'closed',
  approvalSeconds: HOOK_APPROVAL_SECONDS,
  replacesArguments: true,
  replacesResults: false,
  ungoverned: ["Copilot's own reads of a background command's output"],
}

/** Versions before 1.0, and unknown ones, do not guarantee that a broken guard stops a call. */
export function copilotProfile(version: string | null): HarnessProfile {
  const measured = Number(/^(\d+)\./.exec(version ?? '')?.[1] ?? 0) >= 1
  return {
    name: 'copilot',
    ...(version === null ? {} : { version }),
    capabilities: measured
      ? COPILOT_CAPABILITIES
      : {
          ...COPILOT_CAPABILITIES,
          onGuardCrash: 'open',
          onGuardTimeout: 'open',
          replacesArguments: false,
          replacesResults: false,
        },
    tools: COPILOT_TOOLS,
  }
}
