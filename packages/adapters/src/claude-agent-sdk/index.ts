export { guardQuery, type QueryGuard, type QueryGuardOptions } from './guard-query.ts'
export type { ClaudeHookCallback, ClaudeHookMatcher, ClaudeHooks } from './sdk-types.ts'
