import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { mcpProxySettings } from './mcp-proxy-settings.ts'
import { builtCli, startCli } from './test/cli-process.ts'
import { makeSurroundings } from './test/command-parts.ts'
import { builtToolServer, makeProxyLab, type ProxyLab } from './test/proxy-lab.ts'

let built: string
let cli: string
let server: string
beforeAll(async () => {
  built = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-built-'))
  cli = await builtCli(built)
  server = await builtToolServer(built)
}, 60_000)
afterAll(() => fs.rmSync(built, { recursive: true, force: true }))

function lab(): ProxyLab {
  const made = makeProxyLab()
  onTestFinished(() => made.remove())
  return made
}

const behind = ({ workspace }: ProxyLab) => ['--', process.execPath, server, workspace]

async function connect(words: readonly string[], env: Record<string, string> = {}) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [cli, 'mcp-proxy', ...words],
    env,
    stderr: 'pipe',
  })
  let err = ''
  transport.stderr?.on('data', (chunk: Buffer) => {
    err += chunk.toString()
  })
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return { client, pid: transport.pid ?? 0, err: () => err }
}

async function called(client: Client, name: string, args: Record<string, string>) {
  const result = await client.callTool({ name, arguments: args })
  return { isError: result.isError === true, text: JSON.stringify(result.content) }
}
const write = (client: Client, file: string) =>
  called(client, 'write_file', { path: file, content: 'x' })
const check = (client: Client) => called(client, 'check', { how: 'passes' })

async function gone(pid: number): Promise<void> {
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(), { timeout: 10_000 })
}

describe('an MCP proxy with its own server', () => {
  test('shows denials and feedback to the client, and runs no denied call', async () => {
    const made = lab()
    const { client } = await connect([...made.source, ...behind(made)])
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('write_file')
    const denied = await write(client, 'early.txt')
    expect(denied).toMatchObject({ isError: true })
    expect(denied.text).toContain("Tool 'write_file' requires: check")
    expect((await check(client)).text).toMatch(/the check passed.*Keep it short/)
    expect(await write(client, 'late.txt')).toMatchObject({ isError: false })
    expect(fs.readdirSync(made.workspace)).toEqual(['late.txt'])
  })

  test('ends the session as completed, with all events written, when its client disconnects', async () => {
    const made = lab()
    const { client, pid } = await connect([...made.source, ...behind(made)])
    await check(client)
    await client.close()
    await gone(pid)
    const events = made.events()
    expect(events[0]).toMatchObject({ data: { harness: { name: 'mcp' } } })
    expect(events.at(-1)).toMatchObject({ type: 'session.ended', data: { reason: 'completed' } })
  })

  test('records no session for a client that calls no tool', async () => {
    const made = lab()
    const { client, pid } = await connect([...made.source, ...behind(made)])
    await client.close()
    await gone(pid)
    expect(made.events()).toEqual([])
  })

  test('ends the session as completed on SIGTERM', async () => {
    const made = lab()
    const { client, pid } = await connect([...made.source, ...behind(made)])
    await check(client)
    process.kill(pid, 'SIGTERM')
    await gone(pid)
    expect(made.events().at(-1)).toMatchObject({ data: { reason: 'completed' } })
  })

  test('runs no call after it is killed, and the client gets an error', async () => {
    const made = lab()
    const { client, pid } = await connect([...made.source, ...behind(made)])
    await check(client)
    process.kill(pid, 'SIGKILL')
    await gone(pid)
    await expect(write(client, 'late.txt')).rejects.toThrow()
    expect(fs.readdirSync(made.workspace)).toEqual([])
  })

  test("passes the environment to the server without Signalbox's secrets", async () => {
    const made = lab()
    const script = 'process.stderr.write(JSON.stringify(process.env)); process.exit(3)'
    const started = startCli(
      cli,
      ['mcp-proxy', ...made.source, '--', process.execPath, '-e', script],
      { SIGNALBOX_API_KEY: 'secret-key', FOR_THE_SERVER: 'yes' },
    )
    expect(await once(started.process, 'exit')).toEqual([1, null])
    expect(started.err()).toContain('"FOR_THE_SERVER":"yes"')
    expect(started.err()).not.toContain('secret-key')
    expect(started.err()).toContain('The MCP server exited before its client did.')
  })

  test('writes only protocol messages to standard output, and answers an invalid line with an error', async () => {
    const made = lab()
    const { process: child } = startCli(cli, ['mcp-proxy', ...made.source, ...behind(made)])
    let out = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      out += chunk.toString()
    })
    const call = (id: number, name: string) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name, arguments: {} },
    })
    child.stdin?.write('no JSON\n')
    child.stdin?.write(`${JSON.stringify([call(1, 'write_file')])}\n`)
    child.stdin?.write(`${JSON.stringify(call(2, 'write_file'))}\n`)
    await vi.waitFor(() => expect(out.split('\n')).toHaveLength(4), { timeout: 10_000 })
    child.stdin?.end()
    await once(child, 'exit')
    expect(
      out
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { id: null, error: { code: -32700 } },
      { id: null, error: { code: -32600 } },
      { id: 2, result: { isError: true } },
    ])
  })

  test('exits with 2 without rules, and when the server program does not exist', async () => {
    const made = lab()
    const ends = async (words: readonly string[]) => {
      const started = startCli(cli, ['mcp-proxy', ...words])
      const [code] = await once(started.process, 'exit')
      return `${code}: ${started.err()}`
    }
    expect(await ends(behind(made))).toContain('2: No rules are specified')
    expect(await ends([...made.source, '--', '/nowhere/server'])).toContain(
      '2: The MCP server /nowhere/server cannot be started: ENOENT.',
    )
  })

  test('refuses calls when the control plane does not answer and no config is in force', async () => {
    const made = lab()
    const env = { HOME: made.folder, SIGNALBOX_API_KEY: 'sbk_test' }
    const words = ['--url', 'http://127.0.0.1:9', '--prompt', 'team/coder']
    const { client } = await connect([...words, ...behind(made)], env)
    const refused = await check(client)
    expect(refused).toMatchObject({ isError: true })
    expect(refused.text).toContain('No guardrail config is in force yet')
  })
})

describe('an MCP proxy with the daemon', () => {
  async function daemon(made: ProxyLab) {
    const socket = path.join(made.folder, 'daemon.sock')
    const started = startCli(cli, ['daemon', '--socket', socket, '--port', 'off', ...made.source])
    await vi.waitFor(() => expect(started.err()).toContain('signalbox daemon:'), {
      timeout: 10_000,
    })
    const stop = async (signal: NodeJS.Signals) => {
      started.process.kill(signal)
      await once(started.process, 'exit')
    }
    onTestFinished(() => void started.process.kill('SIGKILL'))
    return { words: ['--daemon', '--socket', socket, ...behind(made)], stop }
  }

  test('shares one session with the other proxies of a client, which ends with the last proxy', async () => {
    const made = lab()
    const { words, stop } = await daemon(made)
    const [one, two] = [await connect(words), await connect(words)]
    expect((await write(two.client, 'early.txt')).text).toContain("'write_file' requires: check")
    expect((await check(one.client)).text).toContain('Keep it short')
    await one.client.close()
    await gone(one.pid)
    expect(await write(two.client, 'late.txt')).toMatchObject({ isError: false })
    expect(made.events().map(({ type }) => type)).not.toContain('session.ended')
    await two.client.close()
    await gone(two.pid)
    const events = made.events()
    expect(new Set(events.map(({ session }) => session)).size).toBe(1)
    expect(events.at(-1)).toMatchObject({ type: 'session.ended', data: { reason: 'completed' } })
    await stop('SIGTERM')
  })

  test('an MCP proxy with the daemon has a separate session for each name given with --session', async () => {
    const made = lab()
    const { words } = await daemon(made)
    const one = await connect(['--session', 'one', ...words])
    const two = await connect(['--session', 'two', ...words])
    await check(one.client)
    expect(await write(two.client, 'a.txt')).toMatchObject({ isError: true })
  })

  test('refuses calls when the daemon is gone, with the command that starts it', async () => {
    const made = lab()
    const { words, stop } = await daemon(made)
    const { client, err } = await connect(words)
    await check(client)
    await stop('SIGKILL')
    const refused = await write(client, 'late.txt')
    expect(refused).toMatchObject({ isError: true })
    expect(refused.text).toContain('Start it with \\"signalbox daemon\\"')
    expect(err()).toContain('daemon_not_asked')
    expect(fs.readdirSync(made.workspace)).toEqual([])
  })
})

describe('an MCP proxy over HTTP', () => {
  async function onPort(words: readonly string[], env: Record<string, string> = {}) {
    const started = startCli(cli, ['mcp-proxy', '--http', '0', ...words], env)
    onTestFinished(() => void started.process.kill('SIGKILL'))
    await vi.waitFor(() => expect(started.err()).toContain('http://127.0.0.1:'), {
      timeout: 10_000,
    })
    const url = new URL(/http:\S+/.exec(started.err())?.[0] ?? '')
    return { url, process: started.process }
  }

  async function connectTo(url: URL): Promise<Client> {
    const client = new Client({ name: 'test', version: '1.0.0' })
    // Its optional callbacks are declared as properties that may be undefined.
    await client.connect(new StreamableHTTPClientTransport(url) as Transport)
    return client
  }

  test('gives every client its own session, and ends them all when it stops', async () => {
    const made = lab()
    const { url, process: child } = await onPort([...made.source, ...behind(made)])
    const [one, two] = [await connectTo(url), await connectTo(url)]
    await check(one)
    expect(await write(two, 'a.txt')).toMatchObject({ isError: true })
    expect(await write(one, 'b.txt')).toMatchObject({ isError: false })
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
    expect(made.events().filter(({ type }) => type === 'session.ended')).toHaveLength(2)
  })

  test('sends upstream headers with secrets from the environment, and fails calls when the upstream is gone', async () => {
    const made = lab()
    const behindPort = await onPort([...made.source, ...behind(made)])
    const seen: (string | undefined)[] = []
    const relay = http.createServer((request, response) => {
      seen.push(request.headers.authorization)
      const { url } = behindPort
      const headers = { ...request.headers, host: url.host }
      const onward = http.request(url, { method: request.method ?? 'GET', headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      })
      onward.on('error', () => response.destroy())
      request.pipe(onward)
    })
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
    // The server listens on a port, so the address is never a path.
    const { port } = relay.address() as AddressInfo
    const upstream = ['--upstream', `http://127.0.0.1:${port}/mcp`]
    const header = ['--header', 'Authorization: Bearer $' + '{TOOLS_TOKEN}']
    const { client } = await connect([...made.source, ...upstream, ...header], {
      TOOLS_TOKEN: 'of-the-tools',
    })
    expect(await check(client)).toMatchObject({ isError: false })
    expect(new Set(seen)).toEqual(new Set(['Bearer of-the-tools']))
    relay.close()
    relay.closeAllConnections()
    await expect(check(client)).rejects.toThrow('The MCP server could not be reached.')
  })
})

describe('settings of the MCP proxy', () => {
  const around = makeSurroundings({ env: { TOKEN: 'x' }, cwd: '/w', home: '/h' })
  const none = { header: [], daemon: false, config: 'c.json' }

  test.each<[string, object, string]>([
    ['no server', {}, 'Specify the MCP server'],
    ['two servers', { command: ['a'], upstream: 'http://a' }, 'Specify the MCP server'],
    ['an invalid upstream address', { upstream: 'file:///a' }, 'is not a valid address'],
    [
      'a header for a process',
      { command: ['a'], header: ['a: b'] },
      '--header works only with --upstream',
    ],
    [
      'a header without a value',
      { upstream: 'http://a', header: ['x'] },
      'has the form "name: value"',
    ],
    [
      'a header with an unset environment variable',
      { upstream: 'http://a', header: ['a: $' + '{NONE}'] },
      'needs the environment variable NONE',
    ],
    ['a session without a daemon', { command: ['a'], session: 's' }, 'work only with --daemon'],
    [
      'rules together with a daemon',
      { command: ['a'], daemon: true },
      'With --daemon, the rules of the daemon apply',
    ],
    ['an invalid port', { command: ['a'], http: 'x' }, 'The port "x" is invalid'],
  ])('refuse %s', (_, given, message) => {
    const { command, ...options } = { command: [], ...none, ...given }
    expect(() => mcpProxySettings(command, options, around)).toThrow(message)
  })

  test('settings of the MCP proxy are parsed into the server command and the source of the rules', () => {
    expect(mcpProxySettings(['node', 'server', '-x'], none, around)).toEqual({
      behind: { kind: 'process', program: 'node', args: ['server', '-x'] },
      port: null,
      judge: { kind: 'own', source: { kind: 'file', config: 'c.json', events: null } },
    })
  })
})
