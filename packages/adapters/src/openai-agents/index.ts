export { OPENAI_AGENTS_CAPABILITIES, OPENAI_AGENTS_PROFILE } from './capabilities.ts'
export { type AgentsGuard, type GuardAgentsOptions, guardAgents } from './guard-agents.ts'
export { observedTool } from './observed-tool.ts'
