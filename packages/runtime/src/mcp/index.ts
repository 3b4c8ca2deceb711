// The MCP adapter: a proxy that gates tools/call, on any pair of transports.
export { MCP_CAPABILITIES, MCP_PROFILE } from './capabilities.ts'
export { type HttpProxy, type HttpProxyOptions, httpProxy } from './http-proxy.ts'
export { type CallGate, type McpProxy, type McpProxyOptions, startMcpProxy } from './mcp-proxy.ts'
