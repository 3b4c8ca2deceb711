// Signalbox for Codex.
export { CODEX_CAPABILITIES } from './capabilities.ts'
export { codex, codexHarness } from './codex.ts'
export { codexHooks } from './hooks-file.ts'
export {
  type CodexHook,
  type CodexHooksFound,
  type CodexPlace,
  readCodexHooks,
  trustCodexHooks,
} from './trust.ts'
