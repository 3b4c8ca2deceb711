// What this harness lets guardrails do (specs/adapters.md). Tests of the adapter take their expectations from here.

/** What a harness lets guardrails do. */
export interface HarnessCapabilities {
  /** The agent reads why a call was denied. */
  readonly denyReason: boolean
  /** How feedback reaches the agent. */
  readonly inject: 'message' | 'in_result' | 'none'
  readonly blockStop: 'in_loop' | 'reprompt' | 'none'
  /** The harness's own cap on blocked stops; null when it has none. */
  readonly maxBlocks: number | null
  readonly structured: 'before_accept' | 'final_message' | 'post_only' | 'none'
  /** How a failed tool is told from a successful one. */
  readonly failure: 'event' | 'text' | 'stream' | 'none'
  readonly callIds: boolean
  readonly batch: 'serial' | 'parallel'
  /** What happens to a call when the guard itself fails. */
  readonly onGuardCrash: 'closed' | 'open'
  readonly onGuardTimeout: 'closed' | 'open'
}

export const AI_SDK_CAPABILITIES: HarnessCapabilities = {
  denyReason: true,
  inject: 'message',
  blockStop: 'in_loop',
  maxBlocks: null,
  structured: 'final_message',
  failure: 'event',
  callIds: true,
  batch: 'serial',
  onGuardCrash: 'closed',
  onGuardTimeout: 'closed',
}
