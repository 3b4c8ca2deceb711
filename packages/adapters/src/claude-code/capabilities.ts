// Capabilities of Claude Code, by its version and by the transport of its hooks (specs/adapters/claude-code.md).
import type { HarnessCapabilities } from '@signalbox/runtime'
import { HOOK_APPROVAL_SECONDS } from '@signalbox/runtime/harness'

/**
 * `http`: the harness posts to the daemon. `command`: it starts a shim, which refuses by exit status when it cannot ask. `callback`: the
 * hook runs in the host of the Agent SDK.
 */
export type ClaudeWay = 'http' | 'command' | 'callback'

/** The first version that refuses a call when a hook with `onFailure: "block"` fails; 2.1.197 continues. */
const FAILS_CLOSED = [2, 1, 329] as const

/** @param version as `claude --version` says it; null: not known, so a failing http hook lets calls through */
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
    ungoverned: [],
  }
}

/**
 * Parses the version from what Claude passes to its hooks: the environment variable AI_AGENT of a command, the header that
 * `claudeHookSettings` builds from it, or the version itself. null: none of these.
 */
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
