import type { HarnessCapabilities } from '@signalbox/runtime'
import type { HarnessProfile } from '@signalbox/runtime/harness'

export const MCP_CAPABILITIES: HarnessCapabilities = {
  denyReason: true,
  inject: 'in_result',
  blockStop: 'none',
  maxBlocks: null,
  structured: 'none',
  structuredAttempts: null,
  failure: 'event',
  callIds: true,
  batch: 'parallel',
  onGuardCrash: 'closed',
  onGuardTimeout: 'closed',
  // By default, MCP clients abandon a request after 60 s.
  approvalSeconds: 50,
  replacesArguments: true,
  replacesResults: true,
  ungoverned: ['tools that do not come from the MCP servers behind the proxy'],
}

export const MCP_PROFILE: HarnessProfile = {
  name: 'mcp',
  capabilities: MCP_CAPABILITIES,
  // Servers choose the names of their tools. Aliases in the config map them to the names of rules.
  tools: {},
}
