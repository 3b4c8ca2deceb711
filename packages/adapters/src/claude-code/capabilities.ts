import type { HarnessCapabilities } from '@signalbox/runtime'
import { HOOK_APPROVAL_SECONDS } from '@signalbox/runtime/harness'

/** `command`: the shim refuses by exit status if it cannot reach the daemon. `callback`: the hook runs in the host of the Agent SDK. */
export type ClaudeWay = 'http' | 'command' | 'callback'

/** First version that refuses a call when a hook with `onFailure: "block"` fails; 2.1.197 continues. */
const FAILS_CLOSED = [2, 1, 329] as const

/** `version`: as `claude --version` prints it; null: not known, so a failing HTTP hook is assumed to let calls through. */
export function claudeCapabilities(version: string | null, way: ClaudeWay): HarnessCapabilities {
  const closed = way !== 'http' || isAtLeast(version, FAILS_CLOSED)
  return {
    denyReason: true,
    inject: 'message',
    blockStop: 'in_loop',
    maxBlocks: 8,
    structured: 'before_accept',
    structuredAttempts: 5,
    failure: 'event',
    callIds: true,
    batch: 'parallel',
    onGuardCrash: closed ? 'closed' : 'open',
    onGuardTimeout: closed ? 'closed' : 'open',
    approvalSeconds: HOOK_APPROVAL_SECONDS,
    // Other versions were not measured.
    replacesArguments: way === 'callback' || isAtLeast(version, FAILS_CLOSED),
    replacesResults: false,
    ungoverned: [],
  }
}

/** Text that Claude passes to its hooks: AI_AGENT of a command, the header built from it, or the version itself. null: none of these. */
export function claudeVersion(told: string | null | undefined): string | null {
  const [, major, minor, patch] = /(?:^|_)(\d+)[-.](\d+)[-.](\d+)(?:_|\s|$)/.exec(told ?? '') ?? []
  return patch === undefined ? null : `${major}.${minor}.${patch}`
}

function isAtLeast(version: string | null, least: readonly number[]): boolean {
  const parts = claudeVersion(version)?.split('.').map(Number)
  if (parts === undefined) return false
  for (const [index, part] of parts.entries()) {
    const bound = least[index] ?? 0
    if (part !== bound) return part > bound
  }
  return true
}
