// The agent protocol for a process of your own: guards agents in any language over HTTP (specs/agent-protocol.md).
export {
  type AgentServer,
  type AgentToken,
  createAgentServer,
} from './agent-server.ts'
export type { AgentPrompt, AgentServerOptions } from './agent-sessions.ts'
