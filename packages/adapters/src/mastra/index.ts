export { MASTRA_CAPABILITIES, MASTRA_PROFILE } from './capabilities.ts'
export { type GuardMastraOptions, guardMastra, type MastraGuard } from './guard-mastra.ts'
