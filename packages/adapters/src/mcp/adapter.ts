import type { Adapter } from '../base/adapter.ts'
import { mcp } from './mcp-hooks.ts'

export const mcpAdapter: Adapter = {
  name: 'mcp',
  title: 'MCP clients',
  asks: 'proxy',
  peers: [
    '@modelcontextprotocol/client',
    '@modelcontextprotocol/sdk',
    '@modelcontextprotocol/server',
  ],
  // Used by `signalbox mcp-proxy --daemon`.
  daemon: { hooks: () => mcp, versionFrom: () => null },
  init: null,
}
