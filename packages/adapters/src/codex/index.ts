export type { CodexPlace } from './app-server.ts'
export { CODEX_CAPABILITIES } from './capabilities.ts'
export { codex, codexHarness } from './codex.ts'
export { codexHooks } from './hooks-file.ts'
export {
  type CodexHook,
  type CodexHooksFound,
  readCodexHooks,
  trustCodexHooks,
} from './trust.ts'
