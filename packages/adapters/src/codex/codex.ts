import { type HookHarness, type ReadTail, readFileTail } from '@signalbox/runtime/harness'
import { answerCodexHook, refuseCodexHook } from './answer-hook.ts'
import { codexProfile } from './capabilities.ts'
import { readCodexHook } from './read-hook.ts'

export function codexHarness(readTail: ReadTail): HookHarness {
  return {
    name: 'codex',
    profile: codexProfile,
    read: (payload) => readCodexHook(payload, readTail),
    answer: answerCodexHook,
    refuse: refuseCodexHook,
  }
}

/** Reads session files from disk, so outcomes are exact if Codex stores its sessions. */
export const codex: HookHarness = codexHarness(readFileTail)
