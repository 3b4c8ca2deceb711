import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import {
  launchClaude,
  type ModelRequest,
  makeLabFolders,
  type ScriptedTurn,
  startAnthropicServer,
  whyNotInstalled,
} from '@signalbox/testkit'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { builtCli } from './test/cli-process.ts'
import { builtToolServer, makeProxyLab } from './test/proxy-lab.ts'

describe.skipIf(whyNotInstalled('first') !== null)('Claude Code with the MCP proxy', () => {
  let built: string
  let cli: string
  let server: string
  beforeAll(async () => {
    built = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-built-'))
    cli = await builtCli(built)
    server = await builtToolServer(built)
  })
  afterAll(() => fs.rmSync(built, { recursive: true, force: true }))

  async function run(turn: (request: ModelRequest, killProxy: () => void) => ScriptedTurn) {
    const made = makeProxyLab()
    const folders = makeLabFolders()
    const pidFile = path.join(made.folder, 'pid')
    const kill = () => void process.kill(Number(fs.readFileSync(pidFile, 'utf8')), 'SIGKILL')
    const model = await startAnthropicServer((request) => turn(request, kill))
    onTestFinished(async () => {
      await model.close()
      folders.remove()
      made.remove()
    })
    const words = [process.execPath, cli, 'mcp-proxy', ...made.source]
    const behind = ['--', process.execPath, server, made.workspace]
    const args = ['-c', `echo $$ > '${pidFile}'; exec "$@"`, 'sh', ...words, ...behind]
    const servers = { mcpServers: { files: { command: 'sh', args } } }
    await launchClaude({
      ...folders,
      prompt: 'Write the file.',
      modelUrl: model.url,
      allowedTools: ['mcp__files__write_file', 'mcp__files__check'],
      args: ['--mcp-config', JSON.stringify(servers), '--strict-mcp-config'],
    })
    return { model, files: fs.readdirSync(made.workspace), events: made.events() }
  }

  const write = (file: string): ScriptedTurn => ({
    calls: [{ name: 'mcp__files__write_file', input: { path: file, content: 'x' } }],
  })
  const check: ScriptedTurn = { calls: [{ name: 'mcp__files__check', input: { how: 'passes' } }] }

  test('does not run a denied call, and its model reads the reason and the feedback', async () => {
    const script = [write('early.txt'), check, write('late.txt'), { say: 'Done.' }]
    const { model, files, events } = await run(({ index }) => script[index] ?? { say: 'Done.' })
    expect(files).toEqual(['late.txt'])
    expect(model.requests[1]).toContain("Tool 'write_file' requires: check")
    expect(model.requests[2]).toContain('Keep it short.')
    // Claude Code provides its own ids of the calls, and its end ends the session.
    const asked = events.flatMap(({ type, data }) => (type === 'tool.requested' ? [data] : []))
    expect(asked.map(({ call_id, tool }) => [call_id, tool])).toEqual([
      ['call_1', 'write_file'],
      ['call_2', 'check'],
      ['call_3', 'write_file'],
    ])
    expect(events.at(-1)).toMatchObject({ type: 'session.ended', data: { reason: 'completed' } })
  })

  test('runs no call after the proxy is killed, and its model reads no success', async () => {
    const { model, files } = await run(({ index }, kill) => {
      if (index === 0) return check
      if (index > 1) return { say: 'Done.' }
      kill()
      return write('late.txt')
    })
    expect(model.requests[1]).toContain('the check passed')
    expect(model.requests).toHaveLength(3)
    expect(model.requests[2]).not.toContain('wrote late.txt')
    expect(files).toEqual([])
  })
})
