// The same client and server on stdio, one call at a time; the server answers at once.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { note, percentile, row, section } from './report.mjs'

const ROOT = path.join(import.meta.dirname, '..')
const MAIN = path.join(ROOT, 'packages/cli/dist/main.js')
const CALLS = 1000
const WARM_UP = 200

const CONFIG = {
  schema_version: 1,
  ns: 'bench',
  key: 'mcp',
  policies: [{ id: 'order', type: 'sequential_dependency', dependencies: { write: ['echo'] } }],
}

/** A minimal tool server, so that the measured time is that of the proxy. */
const SERVER = `
process.stdin.setEncoding('utf8')
let rest = ''
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\\n')
  rest = lines.pop()
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line)
    if (id === undefined) continue
    const result = method === 'initialize'
      ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'echo', version: '1' } }
      : { content: [{ type: 'text', text: 'done' }] }
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n')
  }
})
`

export async function run() {
  section(`MCP: ${CALLS} calls over stdio, one after the other`)
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-mcp-'))
  const daemon = startDaemon(folder)
  try {
    await daemon.ready
    const server = path.join(folder, 'server.mjs')
    fs.writeFileSync(server, SERVER)
    const behind = ['--', process.execPath, server]
    const direct = await measure([server])
    const own = await measure([MAIN, 'mcp-proxy', '--config', daemon.config, ...behind])
    const shared = await measure([
      ...[MAIN, 'mcp-proxy', '--daemon', '--socket', daemon.socket],
      ...behind,
    ])
    row('without a proxy', { times: direct, unit: 'ms' })
    row('signalbox mcp-proxy, rules of its own', beside(own, direct))
    row('signalbox mcp-proxy --daemon', beside(shared, direct))
    note('The proxy writes nothing to disk here; the daemon keeps its journal.')
  } finally {
    daemon.stop()
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

function startDaemon(folder) {
  const config = path.join(folder, 'config.json')
  const socket = path.join(folder, 'daemon.sock')
  fs.writeFileSync(config, JSON.stringify(CONFIG))
  const args = ['daemon', '--config', config, '--socket', socket, '--port', 'off']
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
  const ready = new Promise((resolve, reject) => {
    child.stderr.once('data', resolve)
    child.once('exit', (code) => reject(new Error(`The daemon ended with ${code}.`)))
  })
  return { config, socket, ready, stop: () => child.kill() }
}

async function measure(args) {
  const client = new Client({ name: 'bench', version: '1' })
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }),
  )
  const times = []
  for (let call = -WARM_UP; call < CALLS; call += 1) {
    const startedAt = performance.now()
    const result = await client.callTool({ name: 'echo', arguments: { path: `file-${call}` } })
    if (result.isError) throw new Error(JSON.stringify(result))
    if (call >= 0) times.push(performance.now() - startedAt)
  }
  await client.close()
  return times.sort((left, right) => left - right)
}

function beside(times, direct) {
  const ratio = percentile(times, 0.5) / percentile(direct, 0.5)
  return { times, unit: 'ms', figure: `${ratio.toFixed(1)} × direct` }
}
