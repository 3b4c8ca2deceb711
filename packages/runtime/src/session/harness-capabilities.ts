import type { RecordedCapabilities } from '@signalbox/core'

export interface HarnessCapabilities {
  readonly denyReason: boolean
  readonly inject: 'message' | 'in_result' | 'none'
  readonly blockStop: 'in_loop' | 'reprompt' | 'none'
  /** The harness's own cap on consecutive blocked stops; null: none. */
  readonly maxBlocks: number | null
  readonly structured: 'before_accept' | 'final_message' | 'post_only' | 'none'
  /** Structured outputs that the model may offer in one run; null: no limit. */
  readonly structuredAttempts: number | null
  readonly failure: 'event' | 'text' | 'stream' | 'none'
  readonly callIds: boolean
  readonly batch: 'serial' | 'parallel'
  readonly onGuardCrash: 'closed' | 'open'
  readonly onGuardTimeout: 'closed' | 'open'
  /** Longest wait for an approval, in seconds; null: no limit. A rule that allows more is shortened to it. */
  readonly approvalSeconds: number | null
  /** True: a call runs with other arguments where the session gives them. */
  readonly replacesArguments: boolean
  /** True: the model reads another result where the session gives one. */
  readonly replacesResults: boolean
  /** Tools that bypass the guard, in words; empty: none. */
  readonly ungoverned: readonly string[]
}

/** Hooks that call the daemon, and the Claude Agent SDK, time out after 600 s, the shim after 595 and the daemon after 590; the denial must arrive earlier. */
export const HOOK_APPROVAL_SECONDS = 580

export function capabilitiesRecord(capabilities: HarnessCapabilities): RecordedCapabilities {
  return {
    deny_reason: capabilities.denyReason,
    inject: capabilities.inject,
    block_stop: capabilities.blockStop,
    max_blocks: capabilities.maxBlocks,
    structured: capabilities.structured,
    structured_attempts: capabilities.structuredAttempts,
    failure: capabilities.failure,
    call_ids: capabilities.callIds,
    batch: capabilities.batch,
    on_guard_crash: capabilities.onGuardCrash,
    on_guard_timeout: capabilities.onGuardTimeout,
    approval_seconds: capabilities.approvalSeconds,
    replaces_arguments: capabilities.replacesArguments,
    replaces_results: capabilities.replacesResults,
    ungoverned: capabilities.ungoverned,
  }
}

/** Reverse of `capabilitiesRecord`, for harnesses that report their own. */
export function readCapabilities(record: RecordedCapabilities): HarnessCapabilities {
  return {
    denyReason: record.deny_reason,
    inject: record.inject,
    blockStop: record.block_stop,
    maxBlocks: record.max_blocks,
    structured: record.structured,
    structuredAttempts: record.structured_attempts,
    failure: record.failure,
    callIds: record.call_ids,
    batch: record.batch,
    onGuardCrash: record.on_guard_crash,
    onGuardTimeout: record.on_guard_timeout,
    approvalSeconds: record.approval_seconds ?? null,
    replacesArguments: record.replaces_arguments === true,
    replacesResults: record.replaces_results === true,
    ungoverned: record.ungoverned,
  }
}
