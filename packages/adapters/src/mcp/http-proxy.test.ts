import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { createGuardrails } from '@signalbox/runtime'
import { HarnessSession } from '@signalbox/runtime/harness'
import { afterEach, expect, test } from 'vitest'
import { MCP_PROFILE } from './capabilities.ts'
import { httpProxy } from './http-proxy.ts'
import { listen } from './test/lab.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function proxyTo(url: string): Promise<URL> {
  const guardrails = createGuardrails({ config: { schema_version: 1, ns: 'a', key: 'b' } })
  const proxy = httpProxy({
    connect: () => new StreamableHTTPClientTransport(new URL(url)) as Transport,
    openSession: () => HarnessSession.open(guardrails, MCP_PROFILE),
  })
  const front = await listen((request, response) => void proxy.handle(request, response))
  closing.push(front.close, () => proxy.close())
  return front.url
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
}

function post(url: URL, headers: Record<string, string> = {}, body: unknown = INITIALIZE) {
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(body),
  })
}

test('an MCP proxy over HTTP answers a request from a browser page with 403', async () => {
  const url = await proxyTo('http://127.0.0.1:9/mcp')
  expect((await post(url, { origin: 'http://evil.example' })).status).toBe(403)
})

test('an MCP proxy over HTTP answers an unknown session with 404, and a missing one with 400', async () => {
  const url = await proxyTo('http://127.0.0.1:9/mcp')
  expect((await post(url, { 'mcp-session-id': 'gone' })).status).toBe(404)
  expect((await fetch(url)).status).toBe(400)
})
