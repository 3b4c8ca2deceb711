// The MCP proxy accepts transports of both generations of the SDK.
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { StdioServerTransport as FirstServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { assertType, test } from 'vitest'
import type { Transport } from './mcp/index.ts'

test('the MCP proxy accepts a transport of either generation of the SDK', () => {
  assertType<() => Transport>(() => new FirstServerTransport())
  assertType<() => Transport>(() => new StdioServerTransport())
  assertType<() => Transport>(() => new StdioClientTransport({ command: 'server' }))
})
