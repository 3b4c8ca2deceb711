import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { isJsonObject, type JsonObject } from '@signalbox/core'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { builtCli, startCli } from './test/cli-process.ts'
import { builtAgent, makeProxyLab, type ProxyLab } from './test/proxy-lab.ts'

let built: string
let cli: string
let agent: string
beforeAll(async () => {
  built = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-built-'))
  cli = await builtCli(built)
  agent = await builtAgent(built)
}, 60_000)
afterAll(() => fs.rmSync(built, { recursive: true, force: true }))

const RULES = {
  schema_version: 1,
  ns: 'team',
  key: 'coder',
  policies: [
    { id: 'order', type: 'sequential_dependency', dependencies: { write_file: ['shell'] } },
  ],
  task_completion_checker: { id: 'done', type: 'files_exist', files: ['done.txt'] },
} as const
const SCRIPT = [
  { calls: [{ write: 'done.txt', content: 'x' }] },
  { say: 'I am done.' },
  { calls: [{ check: 'passes' }] },
  { calls: [{ write: 'done.txt', content: 'x' }] },
  { say: 'Now it is.' },
]

function lab(): ProxyLab {
  const made = makeProxyLab(RULES)
  onTestFinished(() => made.remove())
  return made
}

function edit(made: ProxyLab, words: readonly string[]) {
  const home = { HOME: made.folder }
  const started = startCli(cli, ['acp-proxy', ...made.source, '--', ...words], home)
  onTestFinished(() => void started.process.kill('SIGKILL'))
  const heard: JsonObject[] = []
  let text = ''
  const send = (message: JsonObject) =>
    started.process.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  started.process.stdout?.on('data', (chunk: Buffer) => {
    const lines = (text + chunk.toString()).split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) {
      const message: unknown = JSON.parse(line)
      if (!isJsonObject(message)) throw new Error(`This is no message: ${line}`)
      heard.push(message)
      const { id = null, method } = message
      const outcome = { outcome: 'selected', optionId: 'yes' }
      if (method === 'session/request_permission') send({ id, result: { outcome } })
    }
  })
  const answer = async (id: string): Promise<JsonObject> => {
    await vi.waitFor(() => expect(heard.map((each) => each['id'])).toContain(id), {
      timeout: 10_000,
    })
    return heard.find((each) => each['id'] === id) ?? {}
  }
  const ask = (id: string, method: string, params: JsonObject) => {
    send({ id, method, params })
    return answer(id)
  }
  const begin = async () => {
    await ask('one', 'initialize', { protocolVersion: 1, clientCapabilities: {} })
    await ask('two', 'session/new', { cwd: made.workspace, mcpServers: [] })
    const prompt = [{ type: 'text', text: 'Begin.' }]
    return ask('three', 'session/prompt', { sessionId: `session:${made.workspace}`, prompt })
  }
  return { ...started, begin, heard }
}

const running = () => [process.execPath, agent, JSON.stringify(SCRIPT)]

test('the ACP proxy continues a turn until the checker passes, and ends it once for the editor', async () => {
  const made = lab()
  const editor = edit(made, running())
  expect(await editor.begin()).toMatchObject({ result: { stopReason: 'end_turn' } })
  expect(fs.readdirSync(made.workspace)).toEqual(['done.txt'])
  const asked = editor.heard.filter(({ method }) => method === 'session/request_permission')
  expect(asked).toHaveLength(2)
  editor.process.stdin?.end()
  expect(await once(editor.process, 'exit')).toEqual([0, null])
  const events = made.events()
  expect(events[0]).toMatchObject({ data: { harness: { name: 'acp', version: '3.1.0' } } })
  expect(events.at(-1)).toMatchObject({ type: 'session.ended', data: { reason: 'completed' } })
})

test('the ACP proxy exits with 1 and reports it when the agent exits before the editor', async () => {
  const made = lab()
  const editor = edit(made, ['sh', '-c', 'exit 3'])
  expect(await once(editor.process, 'exit')).toEqual([1, null])
  expect(editor.err()).toContain('The agent exited before its editor did.')
})

test('the ACP proxy ends the session as failed when the agent exits before the editor', async () => {
  const made = lab()
  const pid = path.join(made.folder, 'agent.pid')
  const editor = edit(made, ['sh', '-c', 'echo $$ > "$0"; exec "$@"', pid, ...running()])
  await editor.begin()
  process.kill(Number(fs.readFileSync(pid, 'utf8')))
  expect(await once(editor.process, 'exit')).toEqual([1, null])
  expect(made.events().at(-1)).toMatchObject({ type: 'session.ended', data: { reason: 'failed' } })
})

test('the ACP proxy exits with 2 and names an agent program that does not exist', async () => {
  const made = lab()
  const editor = edit(made, ['/nowhere/agent'])
  expect(await once(editor.process, 'exit')).toEqual([2, null])
  expect(editor.err()).toContain('The agent /nowhere/agent cannot be started: ENOENT.')
})

test('the ACP proxy sends no prompt to the agent without a config in force', async () => {
  const made = lab()
  const away = ['--url', 'http://127.0.0.1:9', '--prompt', 'team/coder', '--api-key', 'sbk_test']
  const editor = edit({ ...made, source: away }, running())
  expect(await editor.begin()).toMatchObject({
    error: { message: expect.stringContaining('the prompt was not sent') },
  })
  expect(fs.readdirSync(made.workspace)).toEqual([])
})
