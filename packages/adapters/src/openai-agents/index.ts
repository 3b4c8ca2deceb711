// Signalbox for the OpenAI Agents SDK (`@openai/agents` 0.20).
export { OPENAI_AGENTS_CAPABILITIES, OPENAI_AGENTS_PROFILE } from './capabilities.ts'
export { type AgentsGuard, type GuardAgentsOptions, guardAgents } from './guard-agents.ts'
export { observedTool } from './observed-tool.ts'
