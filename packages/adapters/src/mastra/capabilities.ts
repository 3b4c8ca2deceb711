import type { HarnessCapabilities } from '@signalbox/runtime'
import type { HarnessProfile } from '@signalbox/runtime/harness'

export const MASTRA_CAPABILITIES: HarnessCapabilities = {
  denyReason: true,
  inject: 'message',
  blockStop: 'in_loop',
  maxBlocks: null,
  structured: 'post_only',
  structuredAttempts: null,
  failure: 'event',
  callIds: true,
  batch: 'parallel',
  onGuardCrash: 'closed',
  onGuardTimeout: 'closed',
  approvalSeconds: null,
  replacesArguments: true,
  replacesResults: true,
  ungoverned: [
    'tools that the provider runs itself',
    'tools without `execute`, which the application runs',
    'results of tools that run in the background only because the agent or the model says so',
    'agents and workflows that run as tools: the call is governed, what they do is not, unless they have a guard of their own',
  ],
}

/** Every tool is the host's own, so none has another name in rules. */
export const MASTRA_PROFILE: HarnessProfile = {
  name: 'mastra',
  version: '1',
  capabilities: MASTRA_CAPABILITIES,
  tools: {},
}
