// Standard output carries only the protocol; all other output goes to standard error.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import process from 'node:process'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { httpProxy, MCP_PROFILE, startMcpProxy } from '@signalbox/adapters/mcp'
import type { OnDiagnostic } from '@signalbox/runtime'
import type { Command } from 'commander'
import type { CommandContext } from './base/command-context.ts'
import { openGuardrails, withSource } from './base/guardrail-source.ts'
import { EXIT, Unusable } from './base/io.ts'
import { printable } from './base/printable.ts'
import { type CallJudge, daemonJudge, ownJudge } from './call-judge.ts'
import { childEnvironment, childLines } from './child-lines.ts'
import { ownStreams } from './json-lines.ts'
import {
  type Behind,
  type McpProxyOptions,
  type McpProxySettings,
  mcpProxySettings,
} from './mcp-proxy-settings.ts'

export function addMcpProxy(program: Command, context: CommandContext): void {
  const command = program
    .command('mcp-proxy')
    .description('Enforce guardrails between an MCP client and its server')
    .argument('[command...]', 'Command that starts the MCP server, after --')
  withSource(command)
    .option(
      '--upstream <url>',
      'Address of an MCP server with streamable HTTP, instead of a command',
    )
    .option(
      '--header <name: value>',
      `Header for --upstream, with \${NAME} for an environment variable (repeatable)`,
      (text: string, before: readonly string[]) => [...before, text],
      [],
    )
    .option('--http <port>', 'Port on 127.0.0.1 for clients, instead of standard input and output')
    .option('--daemon', 'Use the running daemon, so that several proxies share a session', false)
    .option('--socket <path>', 'Daemon socket for --daemon (env: SIGNALBOX_SOCKET)')
    .option(
      '--session <name>',
      'Session name for --daemon (default: the session of the parent process)',
    )
    .action(async (words: readonly string[], options: McpProxyOptions) =>
      context.done(await runMcpProxy(mcpProxySettings(words, options, context.around), context)),
    )
}

async function runMcpProxy(settings: McpProxySettings, context: CommandContext): Promise<number> {
  const { io, around } = context
  const stopped = around.stopSignal()
  const report: OnDiagnostic = ({ level, code, message }) =>
    io.err(printable(`${level}  ${code}  ${message}`))
  const judge = await openProxyJudge(settings, { context, report })
  const run: Running = { settings, judge, stopped, report, context }
  try {
    return settings.port === null ? await onStreams(run) : await onPort(run, settings.port)
  } finally {
    await judge.close()
  }
}

interface Running {
  readonly settings: McpProxySettings
  readonly judge: CallJudge
  readonly stopped: AbortSignal
  readonly report: OnDiagnostic
  readonly context: CommandContext
}

async function openProxyJudge(
  { judge, port }: McpProxySettings,
  {
    context: { io, around },
    report,
  }: { readonly context: CommandContext; readonly report: OnDiagnostic },
): Promise<CallJudge> {
  const { cwd } = around
  if (judge.kind === 'own') {
    const { guardrails } = await openGuardrails(judge.source, { io, name: 'mcp-proxy', report })
    return ownJudge(guardrails, { profile: MCP_PROFILE, cwd })
  }
  const { socket, session } = judge
  // HTTP clients are not the parent process.
  const named = () => session ?? (port === null ? `process ${process.ppid}` : randomUUID())
  return daemonJudge({ socket, cwd, session: named, report })
}

async function onStreams({ settings, judge, stopped, report, context }: Running): Promise<number> {
  const { around, io } = context
  const server = behind(settings.behind, around)
  const gate = judge.open()
  const client = ownStreams(process)
  const proxy = await startMcpProxy({
    client: client as Transport,
    server,
    gate,
    onDiagnostic: report,
  }).catch(async (error: unknown) => {
    await gate.end({ reason: 'failed' })
    throw unusable(settings.behind, error)
  })
  const stop = () => void proxy.close()
  if (stopped.aborted) stop()
  else stopped.addEventListener('abort', stop)
  await proxy.settled
  const byItself = !(client.hasEnded || stopped.aborted)
  await gate.end({ reason: byItself ? 'failed' : 'completed' })
  await proxy.closed
  if (byItself) io.err('The MCP server exited before its client did.')
  return byItself ? EXIT.findings : EXIT.clean
}

async function onPort(run: Running, wanted: number): Promise<number> {
  const { settings, judge, stopped, report, context } = run
  const proxy = httpProxy({
    connect: () => behind(settings.behind, context.around),
    openSession: () => judge.open(),
    onDiagnostic: report,
  })
  const server = http.createServer((request, response) => void proxy.handle(request, response))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(wanted, '127.0.0.1', resolve)
  }).catch((error: unknown) => {
    throw new Unusable(`Cannot listen on 127.0.0.1:${wanted}: ${describeProxyError(error)}`)
  })
  // A connection was not accepted; open ones continue.
  server.on('error', (error) =>
    report({ level: 'error', code: 'connection_not_taken', message: describeProxyError(error) }),
  )
  // The server listens on TCP, so the address is never a path.
  const { port } = server.address() as AddressInfo
  context.io.err(`signalbox mcp-proxy: http://127.0.0.1:${port}/mcp`)
  if (!stopped.aborted) await once(stopped, 'abort')
  await proxy.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  return EXIT.clean
}

function behind(server: Behind, { cwd, env }: CommandContext['around']): Transport {
  if (server.kind === 'url') return new Upstream(server.url, server.headers) as Transport
  const { program, args } = server
  return childLines({ program, args, cwd, env: childEnvironment(env) }) as Transport
}

const END_NOTICE_MS = 1000

class Upstream extends StreamableHTTPClientTransport {
  constructor(url: URL, headers: { readonly [name: string]: string }) {
    super(url, { requestInit: { headers } })
  }

  override async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, END_NOTICE_MS)
    })
    await Promise.race([this.terminateSession().catch(() => undefined), late])
    clearTimeout(timer)
    await super.close()
  }
}

function unusable(server: Behind, error: unknown): Unusable {
  const name = server.kind === 'url' ? server.url.origin : server.program
  return new Unusable(`The MCP server ${name} cannot be started: ${describeProxyError(error)}`)
}

function describeProxyError(error: unknown): string {
  if (error instanceof Error && 'code' in error) return `${String(error.code)}.`
  return error instanceof Error ? error.message : String(error)
}
