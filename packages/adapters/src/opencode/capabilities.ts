import type { HarnessCapabilities } from '@signalbox/runtime'
import { HOOK_APPROVAL_SECONDS } from '@signalbox/runtime/harness'

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
  replacesResults: false,
  ungoverned: [
    'the StructuredOutput tool of a session with an output format',
    'every tool, in a process that could not load the plugin',
  ],
}
