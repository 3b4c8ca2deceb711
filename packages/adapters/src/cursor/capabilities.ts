// What Cursor is said to let guardrails do. Its program cannot be had for tests, so nothing that was not measured is promised.
import type { HarnessCapabilities } from '@signalbox/runtime'
import type { HarnessProfile } from '@signalbox/runtime/harness'
import { HOOK_APPROVAL_SECONDS } from '@signalbox/runtime/harness'
import { CURSOR_TOOLS } from './tools.ts'

export const CURSOR_CAPABILITIES: HarnessCapabilities = {
  denyReason: true,
  inject: 'in_result',
  blockStop: 'reprompt',
  maxBlocks: 5,
  structured: 'none',
  structuredAttempts: null,
  failure: 'event',
  callIds: true,
  batch: 'parallel',
  onGuardCrash: 'open',
  onGuardTimeout: 'open',
  approvalSeconds: HOOK_APPROVAL_SECONDS,
  ungoverned: ['completions in the editor (Tab)', 'whatever Cursor does not ask a hook about'],
}

/** The same for every version: none was measured. */
export function cursorProfile(version: string | null): HarnessProfile {
  return {
    name: 'cursor',
    ...(version === null ? {} : { version }),
    capabilities: CURSOR_CAPABILITIES,
    tools: CURSOR_TOOLS,
  }
}
