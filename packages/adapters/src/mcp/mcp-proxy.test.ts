import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import type { ConfigDocument, SessionEvent } from '@signalbox/core'
import { createGuardrails } from '@signalbox/runtime'
import { HarnessSession } from '@signalbox/runtime/harness'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { MCP_PROFILE } from './capabilities.ts'
import { startMcpProxy } from './mcp-proxy.ts'
import { type Connect, type Connected, overHttp, overSplitSdk, overStdio } from './test/lab.ts'

const CONFIG: ConfigDocument = {
  schema_version: 1,
  ns: 'a',
  key: 'b',
  policies: [
    { id: 'order', type: 'sequential_dependency', dependencies: { write_file: ['check'] } },
  ],
  feedback_providers: [
    { id: 'hint', type: 'static', trigger: { every_n_calls: 1 }, feedback: 'Keep it short.' },
  ],
}

function guarded() {
  const events: SessionEvent[] = []
  const guardrails = createGuardrails({
    config: CONFIG,
    onEvent: (line) => void events.push(JSON.parse(line)),
  })
  const session = HarnessSession.open(guardrails, MCP_PROFILE)
  const ended = () => events.flatMap((event) => (event.type === 'tool.invoked' ? [event.data] : []))
  return { ended, events, session }
}

const open: Connected[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

async function makeFolder(): Promise<string> {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'signalbox-mcp-test-'))
  onTestFinished(() => fs.rm(folder, { recursive: true }))
  return folder
}

async function connected(connect: Connect) {
  const folder = await makeFolder()
  const { ended, events, session } = guarded()
  const connection = await connect(folder, session)
  open.push(connection)
  return { client: connection.client, connection, ended, events, folder }
}

const text = (result: Awaited<ReturnType<Client['callTool']>>) => JSON.stringify(result.content)

describe.each([
  ['stdio', overStdio],
  ['streamable HTTP', overHttp],
])('an MCP proxy over %s', (_, connect) => {
  test('a message that is not a call passes unchanged', async () => {
    const { client } = await connected(connect)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['write_file', 'read_file', 'check', 'wait'])
    expect(client.getServerVersion()).toMatchObject({ name: 'files' })
  })

  test('a denied call is a tool error with reason and feedback, and nothing runs', async () => {
    const { client, folder } = await connected(connect)
    const result = await client.callTool({
      name: 'write_file',
      arguments: { path: 'a.txt', content: 'x' },
    })
    expect(result.isError).toBe(true)
    expect(text(result)).toContain("Tool 'write_file' requires: check")
    expect(text(result)).toContain('Keep it short.')
    expect(await fs.readdir(folder)).toEqual([])
  })

  test('feedback follows the result of the tool', async () => {
    const { client } = await connected(connect)
    const result = await client.callTool({ name: 'check', arguments: { how: 'passes' } })
    expect(text(result)).toMatch(/the check passed.*Keep it short/)
  })

  test('a failed tool is recorded as failed', async () => {
    const { client, ended } = await connected(connect)
    await client.callTool({ name: 'check', arguments: { how: 'fails' } })
    expect(ended()).toMatchObject([{ outcome: 'failure', error: 'the check failed' }])
  })

  test('a call canceled by the client has an unknown outcome', async () => {
    const { client, connection, ended } = await connected(connect)
    const cancel = new AbortController()
    const waiting = client.callTool({ name: 'wait', arguments: {} }, undefined, {
      signal: cancel.signal,
    })
    await client.listTools()
    cancel.abort()
    await expect(waiting).rejects.toThrow()
    await connection.close()
    open.length = 0
    expect(ended()).toMatchObject([{ tool: 'wait', outcome: 'unknown' }])
  })
})

describe('an MCP proxy with arbitrary peers', () => {
  async function between() {
    const [client, clientSide] = InMemoryTransport.createLinkedPair()
    const [server, serverSide] = InMemoryTransport.createLinkedPair()
    const toClient: JSONRPCMessage[] = []
    const toServer: JSONRPCMessage[] = []
    client.onmessage = (message) => void toClient.push(message)
    server.onmessage = (message) => void toServer.push(message)
    const { ended, session } = guarded()
    const proxy = await startMcpProxy({ client: clientSide, server: serverSide, gate: session })
    const breakServer = () => {
      serverSide.send = () => Promise.reject(new Error('refused'))
    }
    return { breakServer, client, ended, proxy, server, toClient, toServer }
  }
  const call = (id: number, params: Record<string, unknown>): JSONRPCMessage => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params,
  })
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  async function until(done: () => boolean): Promise<void> {
    while (!done()) await settled()
  }

  test('refuses a call without a tool', async () => {
    const { client, toClient, toServer } = await between()
    await client.send(call(1, { arguments: {} }))
    await until(() => toClient.length === 1)
    expect(toClient).toMatchObject([{ id: 1, error: { code: -32602 } }])
    expect(toServer).toEqual([])
  })

  test('refuses a call without an id, because a denial could not be reported', async () => {
    const { client, toServer } = await between()
    await client.send({ jsonrpc: '2.0', method: 'tools/call', params: { name: 'write_file' } })
    await client.send({ jsonrpc: '2.0', id: 2, method: 'ping' })
    await until(() => toServer.length === 1)
    expect(toServer).toMatchObject([{ method: 'ping' }])
  })

  test('answers a request that does not reach the server with an unknown outcome', async () => {
    const { client, ended, breakServer, toClient } = await between()
    breakServer()
    await client.send(call(1, { name: 'check' }))
    await client.send({ jsonrpc: '2.0', id: 2, method: 'ping' })
    await until(() => toClient.length === 2)
    expect(toClient.map((message) => 'error' in message && message.error.code)).toEqual([
      -32000, -32000,
    ])
    expect(ended()).toMatchObject([{ outcome: 'unknown' }])
  })

  test('gives calls of different proxies different ids', async () => {
    const ids = new Set<string>()
    for (const { client, ended, server, toClient, toServer } of [
      await between(),
      await between(),
    ]) {
      await client.send(call(1, { name: 'check' }))
      await until(() => toServer.length === 1)
      await server.send({ jsonrpc: '2.0', id: 1, result: { content: [] } })
      await until(() => toClient.length === 1)
      for (const { call_id } of ended()) ids.add(call_id)
    }
    expect(ids.size).toBe(2)
  })

  test('refuses a call with an id that is in use, so that no answer is assigned to the wrong call', async () => {
    const { client, toClient, toServer } = await between()
    await client.send(call(1, { name: 'check' }))
    await client.send(call(1, { name: 'check' }))
    await until(() => toClient.length === 1 && toServer.length === 1)
    expect(toClient).toMatchObject([{ id: 1, error: { code: -32600 } }])
  })

  test('marks open calls as unknown when the server dies, and notifies the client', async () => {
    const { client, ended, proxy, server, toClient, toServer } = await between()
    await client.send(call(1, { name: 'check' }))
    await until(() => toServer.length === 1)
    await server.close()
    await proxy.closed
    expect(toClient).toMatchObject([
      { id: 1, error: { message: 'The MCP server ended before it answered.' } },
    ])
    expect(ended()).toMatchObject([{ outcome: 'unknown' }])
  })

  test('records a call that only started a task with an unknown outcome', async () => {
    const { client, ended, server, toClient, toServer } = await between()
    await client.send(call(1, { name: 'check', task: { ttl: 1000 } }))
    await until(() => toServer.length === 1)
    await server.send({ jsonrpc: '2.0', id: 1, result: { task: { taskId: 't' } } })
    await until(() => toClient.length === 1)
    expect(ended()).toMatchObject([{ outcome: 'unknown' }])
  })

  test("keeps the client's own id of a call", async () => {
    const { client, ended, server, toClient, toServer } = await between()
    await client.send(call(1, { name: 'check', _meta: { 'claudecode/toolUseId': 'toolu_1' } }))
    await until(() => toServer.length === 1)
    await server.send({ jsonrpc: '2.0', id: 1, result: { content: [] } })
    await until(() => toClient.length === 1)
    expect(ended()).toMatchObject([{ call_id: 'toolu_1', outcome: 'success' }])
  })
})

test('an MCP proxy works with a client and a transport of @modelcontextprotocol/client 2', async () => {
  const folder = await makeFolder()
  const { ended, session } = guarded()
  const { client, proxy } = await overSplitSdk(folder, session)
  const write = { name: 'write_file', arguments: { path: 'a.txt', content: 'a' } }
  const denied = await client.callTool(write)
  expect(denied.isError).toBe(true)
  expect(JSON.stringify(denied.content)).toContain("Tool 'write_file' requires: check")
  await client.callTool({ name: 'check', arguments: { how: 'passes' } })
  expect(JSON.stringify(await client.callTool(write))).toContain('Keep it short.')
  await client.close()
  await proxy.closed
  await session.end({ reason: 'completed' })
  expect(ended().map(({ tool, outcome }) => [tool, outcome])).toEqual([
    ['write_file', 'denied'],
    ['check', 'success'],
    ['write_file', 'success'],
  ])
})
