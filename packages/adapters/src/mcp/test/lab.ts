import fs from 'node:fs/promises'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import * as split from '@modelcontextprotocol/client'
import { StdioClientTransport as SplitStdioTransport } from '@modelcontextprotocol/client/stdio'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { HarnessSession } from '@signalbox/runtime/harness'
import { build } from 'esbuild'
import { httpProxy } from '../http-proxy.ts'
import { startMcpProxy } from '../mcp-proxy.ts'
import { toolServer } from './tool-server.ts'

export interface Connected {
  readonly client: Client
  close(): Promise<void>
}

export type Connect = (folder: string, session: HarnessSession) => Promise<Connected>

const INFO = { name: 'kit', version: '1.0.0' }
let bundle: Promise<string> | null = null

/** Writes the tool server's program next to its folder. Delete it after a client connects: Node.js has loaded all of it by then. */
async function writeStdioServer(folder: string): Promise<string> {
  bundle ??= bundleStdioServer()
  const file = `${folder}.mjs`
  await fs.writeFile(file, await bundle)
  return file
}

async function bundleStdioServer(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path.join(import.meta.dirname, 'stdio-tool-server.ts')],
    write: false,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)",
    },
  })
  return outputFiles.map(({ text }) => text).join('')
}

export const overStdio: Connect = async (folder, session) => {
  const server = await writeStdioServer(folder)
  const [near, far] = InMemoryTransport.createLinkedPair()
  const proxy = await startMcpProxy({
    client: far,
    server: new StdioClientTransport({
      command: process.execPath,
      args: [server, folder],
    }),
    gate: session,
  })
  const client = new Client(INFO)
  await client.connect(near)
  await fs.rm(server)
  return {
    client,
    async close() {
      await client.close()
      await proxy.closed
      await session.end({ reason: 'completed' })
    },
  }
}

export async function overSplitSdk(folder: string, session: HarnessSession) {
  const server = await writeStdioServer(folder)
  const [near, far] = split.InMemoryTransport.createLinkedPair()
  const proxy = await startMcpProxy({
    client: far,
    server: new SplitStdioTransport({
      command: process.execPath,
      args: [server, folder],
    }),
    gate: session,
  })
  const client = new split.Client(INFO)
  await client.connect(near)
  await fs.rm(server)
  return { client, proxy }
}

export const overHttp: Connect = async (folder, session) => {
  const behind = await listen(await httpServer(folder))
  const proxy = httpProxy({
    connect: () => asTransport(new StreamableHTTPClientTransport(behind.url)),
    openSession: () => session,
  })
  const front = await listen((request, response) => void proxy.handle(request, response))
  const client = new Client(INFO)
  await client.connect(asTransport(new StreamableHTTPClientTransport(front.url)))
  return {
    client,
    async close() {
      await client.close()
      await proxy.close()
      await Promise.all([front.close(), behind.close()])
    },
  }
}

async function httpServer(folder: string): Promise<http.RequestListener> {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => 'behind' })
  await toolServer(folder).connect(asTransport(transport))
  return (request, response) => void transport.handleRequest(request, response)
}

/** The package declares optional callbacks that our compiler settings distinguish from absent ones. */
function asTransport(
  transport: StreamableHTTPClientTransport | StreamableHTTPServerTransport,
): Transport {
  return transport as Transport
}

export async function listen(listener: http.RequestListener) {
  const server = http.createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo
  return {
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    async close(): Promise<void> {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
