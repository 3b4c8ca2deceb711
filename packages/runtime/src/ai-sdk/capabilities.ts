// What the AI SDK lets guardrails do (specs/adapters/ai-sdk.md). Tests of the adapter take their expectations from here.
import type { HarnessCapabilities } from '@signalbox/runtime'
import type { HarnessProfile } from '@signalbox/runtime/harness'

const BOTH = {
  denyReason: true,
  inject: 'message',
  maxBlocks: null,
  structured: 'final_message',
  structuredAttempts: null,
  failure: 'event',
  callIds: true,
  batch: 'serial',
  onGuardCrash: 'closed',
  onGuardTimeout: 'closed',
  ungoverned: ['tools that the provider runs itself'],
} as const

export const AI_SDK_CAPABILITIES: HarnessCapabilities = { ...BOTH, blockStop: 'in_loop' }

/** `ai` 6 has no steering: a blocked stop starts a new generation with everything said so far. */
export const AI_SDK_6_CAPABILITIES: HarnessCapabilities = { ...BOTH, blockStop: 'reprompt' }

/** Every tool is the host's own, so none has a name that rules would have to know otherwise. */
export const AI_SDK_PROFILE: HarnessProfile = {
  name: 'ai-sdk',
  version: '7',
  capabilities: AI_SDK_CAPABILITIES,
  tools: {},
}

export const AI_SDK_6_PROFILE: HarnessProfile = {
  name: 'ai-sdk',
  version: '6',
  capabilities: AI_SDK_6_CAPABILITIES,
  tools: {},
}
