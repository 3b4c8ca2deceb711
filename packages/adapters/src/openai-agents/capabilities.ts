import type { HarnessCapabilities } from '@signalbox/runtime'
import type { HarnessProfile } from '@signalbox/runtime/harness'

export const OPENAI_AGENTS_CAPABILITIES: HarnessCapabilities = {
  denyReason: true,
  inject: 'message',
  blockStop: 'in_loop',
  maxBlocks: null,
  structured: 'final_message',
  structuredAttempts: null,
  failure: 'event',
  callIds: true,
  batch: 'parallel',
  onGuardCrash: 'closed',
  onGuardTimeout: 'closed',
  approvalSeconds: null,
  replacesArguments: true,
  replacesResults: true,
  ungoverned: ['hosted tools', 'shell, apply_patch and computer tools'],
}

/** Every tool is the host's own, so none has another name in rules. */
export const OPENAI_AGENTS_PROFILE: HarnessProfile = {
  name: 'openai-agents',
  version: '0.20',
  capabilities: OPENAI_AGENTS_CAPABILITIES,
  tools: {},
}
