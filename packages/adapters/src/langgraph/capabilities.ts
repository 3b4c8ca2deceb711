import type { HarnessCapabilities } from '@signalbox/runtime'
import type { HarnessProfile } from '@signalbox/runtime/harness'

export const LANGGRAPH_CAPABILITIES: HarnessCapabilities = {
  denyReason: true,
  inject: 'in_result',
  blockStop: 'in_loop',
  maxBlocks: null,
  structured: 'before_accept',
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
    'nodes of the graph that act without a guarded tool node',
  ],
}

/** Every tool is the host's own, so none has another name in rules. */
export const LANGGRAPH_PROFILE: HarnessProfile = {
  name: 'langgraph',
  version: '1',
  capabilities: LANGGRAPH_CAPABILITIES,
  tools: {},
}
