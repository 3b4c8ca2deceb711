import type { HarnessCapabilities } from '@signalbox/runtime'
import type { HarnessProfile } from '@signalbox/runtime/harness'
import type { ToolSet } from 'ai'

const BY_PROVIDER = 'tools that the provider runs itself'
/** `ai` 6 cannot refuse these tools: after the generation, the host runs them or a user answers. */
const BY_HOST =
  'tools without `execute`: evaluated, but the application can run them despite a denial'

const MAX_NAMES = 100

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
  approvalSeconds: null,
  replacesArguments: true,
  replacesResults: true,
  ungoverned: [BY_PROVIDER],
} as const

export const AI_SDK_CAPABILITIES: HarnessCapabilities = { ...BOTH, blockStop: 'in_loop' }

/** `ai` 6 has no steering: a blocked stop starts a new generation with the whole conversation so far. */
export const AI_SDK_6_CAPABILITIES: HarnessCapabilities = {
  ...BOTH,
  blockStop: 'reprompt',
  ungoverned: [BY_PROVIDER, BY_HOST],
}

/** For a host that does not know its tools; `aiSdkProfile` is for one that does. */
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

export function aiSdkProfile(tools: ToolSet): HarnessProfile {
  return withUngoverned(AI_SDK_PROFILE, listProviderTools(tools))
}

export function aiSdk6Profile(tools: ToolSet): HarnessProfile {
  const hosts = Object.entries(tools).filter(
    ([, tool]) => tool.execute === undefined && !isRunByProvider(tool),
  )
  return withUngoverned(AI_SDK_6_PROFILE, [...listProviderTools(tools), ...named(hosts, BY_HOST)])
}

function listProviderTools(tools: ToolSet): readonly string[] {
  return named(
    Object.entries(tools).filter(([, tool]) => isRunByProvider(tool)),
    BY_PROVIDER,
  )
}

interface ProviderTool {
  readonly execute?: unknown
  readonly isProviderExecuted?: boolean
}

/** Version 6 does not report this. There, the provider runs those of its tools that have no `execute`. */
function isRunByProvider(tool: ToolSet[string]): boolean {
  if (tool.type !== 'provider') return false
  const { execute, isProviderExecuted }: ProviderTool = tool
  return isProviderExecuted ?? execute === undefined
}

function named(tools: readonly (readonly [string, unknown])[], what: string): readonly string[] {
  if (tools.length === 0) return []
  const names = tools.map(([name]) => name).join(', ')
  return [names.length > MAX_NAMES ? what : `${what} (${names})`]
}

function withUngoverned(profile: HarnessProfile, ungoverned: readonly string[]): HarnessProfile {
  return { ...profile, capabilities: { ...profile.capabilities, ungoverned } }
}
