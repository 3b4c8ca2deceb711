export { MCP_CAPABILITIES, MCP_PROFILE } from './capabilities.ts'
export { HookGate, type HookGateOptions } from './hook-gate.ts'
export { type HttpProxy, type HttpProxyOptions, httpProxy } from './http-proxy.ts'
export { mcp } from './mcp-hooks.ts'
export {
  type CallGate,
  type McpProxy,
  type McpProxyOptions,
  type SessionGate,
  startMcpProxy,
} from './mcp-proxy.ts'
export type { Transport } from './transport.ts'
