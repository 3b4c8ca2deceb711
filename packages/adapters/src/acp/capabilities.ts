import type { HarnessCapabilities } from '@signalbox/runtime'
import type { HarnessProfile } from '@signalbox/runtime/harness'
import { ACP_TOOLS } from './acp-tools.ts'

/** Experimental (specs/adapters/acp.md). */
export const ACP_CAPABILITIES: HarnessCapabilities = {
  denyReason: false,
  inject: 'none',
  blockStop: 'reprompt',
  maxBlocks: null,
  structured: 'none',
  structuredAttempts: null,
  failure: 'event',
  callIds: true,
  batch: 'parallel',
  onGuardCrash: 'closed',
  onGuardTimeout: 'closed',
  approvalSeconds: null,
  replacesArguments: false,
  replacesResults: false,
  ungoverned: ['experimental: every tool that the agent does not ask permission for'],
}

/** `version`: of the agent, as it reported to the editor; null: not known. */
export function acpProfile(version: string | null): HarnessProfile {
  return {
    name: 'acp',
    capabilities: ACP_CAPABILITIES,
    tools: ACP_TOOLS,
    ...(version === null ? {} : { version }),
  }
}
