// Every harness that asks by hooks, under the name by which commands and paths call it.

import type { HookHarness } from '@signalbox/runtime/harness'
import { claudeCode, claudeCodeByCommand, claudeVersion } from './claude-code/index.ts'
import { codex } from './codex/index.ts'
import { copilot } from './copilot/index.ts'
import { geminiCli } from './gemini-cli/index.ts'
import { mcp } from './mcp/index.ts'
import { opencode } from './opencode/index.ts'

/** `command`: the harness runs the shim. `http`: it posts to the daemon itself. */
export type HookWay = 'command' | 'http'

export interface HarnessEntry {
  readonly hooks: (way: HookWay) => HookHarness
  /** The version out of what the harness tells its hooks of itself; null: it does not say. */
  readonly versionFrom: (agent: string | null) => string | null
}

/** Its payload or its records say it, or nothing does. */
const unsaid = () => null

export const HARNESSES: ReadonlyMap<string, HarnessEntry> = new Map<string, HarnessEntry>([
  [
    'claude-code',
    {
      hooks: (way) => (way === 'command' ? claudeCodeByCommand : claudeCode),
      versionFrom: claudeVersion,
    },
  ],
  ['codex', { hooks: () => codex, versionFrom: unsaid }],
  ['gemini-cli', { hooks: () => geminiCli, versionFrom: unsaid }],
  ['copilot', { hooks: () => copilot, versionFrom: unsaid }],
  ['opencode', { hooks: () => opencode, versionFrom: unsaid }],
  // Asked by signalbox mcp-proxy --daemon.
  ['mcp', { hooks: () => mcp, versionFrom: unsaid }],
])
