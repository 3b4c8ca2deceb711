import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { AnyMessage } from '@agentclientprotocol/sdk'
import type { ConfigDocument, SessionEvent } from '@signalbox/core'
import { createGuardrails } from '@signalbox/runtime'
import { HarnessSession } from '@signalbox/runtime/harness'
import type { ModelTurn } from '@signalbox/testkit'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { AcpEnd } from './acp-end.ts'
import { parseReportedUpdate, readOutcome } from './acp-messages.ts'
import { startAcpProxy } from './acp-proxy.ts'
import { nativeName } from './acp-tools.ts'
import { acpProfile } from './capabilities.ts'
import { rejection } from './permission.ts'
import { type EditorOptions, startAcpLab } from './test/lab.ts'

const SOON = { timeout: 20_000 }
const CHECK_FIRST: ConfigDocument = {
  schema_version: 1,
  ns: 'a',
  key: 'b',
  policies: [
    { id: 'order', type: 'sequential_dependency', dependencies: { write_file: ['shell'] } },
  ],
}
const NEEDS_FILE: ConfigDocument = {
  ...CHECK_FIRST,
  task_completion_checker: { id: 'done', type: 'files_exist', files: ['done.txt'] },
}
const write = (file: string): ModelTurn => ({ calls: [{ write: file, content: 'x' }] })
const check: ModelTurn = { calls: [{ check: 'passes' }] }
const say: ModelTurn = { say: 'I am done.' }

class ToldAtOnce implements AcpEnd {
  onmessage?: (message: AnyMessage) => void
  readonly sent: AnyMessage[] = []

  async start(): Promise<void> {}

  async send(message: AnyMessage): Promise<void> {
    this.sent.push(message)
  }

  async close(): Promise<void> {}
}

interface Given extends Partial<Pick<EditorOptions, 'choose' | 'open'>> {
  readonly asks?: () => boolean
  readonly config?: ConfigDocument
}

async function lab(script: readonly ModelTurn[], { config = CHECK_FIRST, ...given }: Given = {}) {
  const cwd = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-acp-'))
  onTestFinished(() => fs.rmSync(cwd, { recursive: true, force: true }))
  const events: SessionEvent[] = []
  const guardrails = createGuardrails({
    config,
    onEvent: (line) => void events.push(JSON.parse(line)),
  })
  const open: EditorOptions['open'] = ({ cwd: workspaceRoot, agentVersion }) =>
    HarnessSession.open(guardrails, acpProfile(agentVersion), { workspaceRoot })
  const started = await startAcpLab({ script, cwd, open, ...given })
  onTestFinished(() => started.close())
  const types = () => events.map(({ type }) => type)
  const invoked = () =>
    events.flatMap((event) => (event.type === 'tool.invoked' ? [event.data] : []))
  return { ...started, cwd, events, types, invoked }
}

test('the ACP proxy rejects a denied call without asking the user', async () => {
  const { prompt, asked, cwd, invoked, agent } = await lab([write('a.txt'), say])
  expect(await prompt('Begin.')).toBe('end_turn')
  expect(asked).toEqual([])
  expect(fs.readdirSync(cwd)).toEqual([])
  expect(invoked()).toMatchObject([{ outcome: 'denied' }])
  expect(agent.requests[1]).toContain('The call was rejected.')
})

test('the ACP proxy leaves an allowed call to the user, without the option to allow all calls', async () => {
  const script = [check, write('a.txt'), say]
  const { prompt, asked, cwd, invoked } = await lab(script, {
    choose: ({ toolCall }) => (toolCall.kind === 'edit' ? 'no' : 'yes'),
  })
  await prompt('Begin.')
  expect(asked.map(({ options }) => options.map(({ optionId }) => optionId))).toEqual([
    ['yes', 'no'],
    ['yes', 'no'],
  ])
  expect(fs.readdirSync(cwd)).toEqual([])
  expect(invoked()).toMatchObject([{ outcome: 'success' }, { outcome: 'denied' }])
})

test('the ACP proxy treats an option that was not offered as a denial', async () => {
  const { prompt, cwd, invoked } = await lab([check, say], { choose: () => 'ever' })
  await prompt('Begin.')
  expect(invoked()).toMatchObject([{ tool: 'shell', outcome: 'denied' }])
  expect(fs.readdirSync(cwd)).toEqual([])
})

test('the ACP proxy records a call without a permission request as one without a decision', async () => {
  const { prompt, types, invoked } = await lab([write('a.txt'), say], { asks: () => false })
  await prompt('Begin.')
  expect(types()).not.toContain('tool.requested')
  expect(invoked()).toMatchObject([{ tool: 'write_file', outcome: 'unknown' }])
})

test('the ACP proxy counts an update that arrives directly before the next permission request', async () => {
  const agent = new ToldAtOnce()
  const guardrails = createGuardrails({ config: CHECK_FIRST })
  const editor = new ToldAtOnce()
  await startAcpProxy({
    client: editor,
    agent,
    cwd: '/w',
    open: () => HarnessSession.open(guardrails, acpProfile(null)),
  })
  const asks = (id: number, told: { toolCallId: string; title: string; kind: string }) => {
    const toolCall = { ...told, rawInput: {} }
    const options = [{ optionId: 'yes', kind: 'allow_once', name: 'Yes' }]
    const params = { sessionId: 's', toolCall, options }
    agent.onmessage?.({ jsonrpc: '2.0', id, method: 'session/request_permission', params })
  }
  const prompt = { sessionId: 's', prompt: [] }
  editor.onmessage?.({ jsonrpc: '2.0', id: 1, method: 'session/prompt', params: prompt })
  await vi.waitFor(() => expect(agent.sent).toHaveLength(1), SOON)
  asks(7, { toolCallId: 'one', title: 'bash', kind: 'execute' })
  await vi.waitFor(() => expect(editor.sent).toHaveLength(1), SOON)
  const done = { status: 'completed', rawOutput: { exitCode: 0 }, toolCallId: 'one' }
  const update = { sessionUpdate: 'tool_call_update', ...done }
  const params = { sessionId: 's', update }
  agent.onmessage?.({ jsonrpc: '2.0', method: 'session/update', params })
  asks(8, { toolCallId: 'two', title: 'write', kind: 'edit' })
  await vi.waitFor(() => expect(editor.sent).toHaveLength(3), SOON)
  expect(editor.sent[2]).toMatchObject({ id: 8, method: 'session/request_permission' })
})

test('the ACP proxy continues a blocked turn, and sends the editor one end after every update', async () => {
  const script = [write('early.txt'), say, check, write('done.txt'), { say: 'Now.' }]
  const { prompt, agent, updates, types } = await lab(script, { config: NEEDS_FILE })
  expect(await prompt('Begin.')).toBe('end_turn')
  expect(agent.requests.at(-1)).toContain('Missing required files: done.txt')
  // The protocol has no field for the reason of a denial, so the next prompt carries it.
  expect(agent.requests.at(-1)).toContain("Tool 'write_file' requires: shell")
  const said = updates.filter(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk')
  expect(said).toHaveLength(2)
  expect(types().filter((type) => type === 'stop.decided')).toHaveLength(2)
})

test('the ACP proxy sends no further prompt when the turn is canceled while its stop is evaluated', async () => {
  const guardrails = createGuardrails({ config: NEEDS_FILE })
  const started = await lab([say, say], {
    open: ({ cwd }) => {
      const session = HarnessSession.open(guardrails, acpProfile(null), { workspaceRoot: cwd })
      const stop = session.stop.bind(session)
      session.stop = async (attempt) => {
        await started.cancel()
        // The proxy answers a request after earlier messages are handled.
        await started.editor.request('session/load', {
          sessionId: 'session:other',
          cwd,
          mcpServers: [],
        })
        return stop(attempt)
      }
      return session
    },
  })
  expect(await started.prompt('Begin.')).toBe('cancelled')
  expect(started.agent.requests).toHaveLength(1)
})

test('the ACP proxy sends no prompt when the session cannot be opened', async () => {
  const { prompt, agent } = await lab([say], {
    open: () => Promise.reject(new Error('the disk is full')),
  })
  await expect(prompt('Begin.')).rejects.toThrow('the prompt was not sent: the disk is full')
  expect(agent.requests).toEqual([])
})

test('the ACP proxy does not record the repeated history of a loaded session', async () => {
  const { editor, prompt, cwd, invoked } = await lab([say])
  await prompt('Begin.')
  await editor.request('session/load', { sessionId: `session:${cwd}`, cwd, mcpServers: [] })
  await prompt('Go on.')
  expect(invoked()).toEqual([])
})

test('the ACP proxy records the agent, the folder and the ungoverned actions, and ends the session with the editor', async () => {
  const { prompt, close, events, cwd } = await lab([say])
  await prompt('Begin.')
  await close()
  expect(events[0]).toMatchObject({
    data: {
      harness: { name: 'acp', version: '3.1.0' },
      workspace_root: cwd,
      capabilities: { ungoverned: [expect.stringContaining('experimental')] },
    },
  })
  expect(events.at(-1)).toMatchObject({ type: 'session.ended', data: { reason: 'completed' } })
})

test.each([
  [{ title: 'bash', kind: 'execute' }, 'bash'],
  // Commands with the title of a tool, and real tools.
  [{ title: 'write', kind: 'execute' }, 'execute'],
  [{ title: 'ls', kind: 'execute' }, 'execute'],
  [{ title: 'write', kind: 'edit' }, 'write'],
  [{ title: 'Write a.txt', kind: 'edit' }, 'change'],
  [{ title: 'files_write', kind: 'other' }, 'files_write'],
  [{ title: 'a title', kind: 'other' }, 'other'],
  [{ name: 'my_tool', title: 'bash', kind: 'execute' }, 'my_tool'],
])('the ACP call %j is evaluated as the tool %s', (told, name) => {
  expect(nativeName(told)).toBe(name)
})

test.each([
  [{ status: 'failed' }, 'failure'],
  [{ status: 'completed', kind: 'read' }, 'success'],
  [{ status: 'completed', kind: 'execute' }, 'unknown'],
  [{ status: 'completed', kind: 'execute', rawOutput: { metadata: { exit: 0 } } }, 'success'],
  [{ status: 'completed', kind: 'execute', rawOutput: { exitCode: 3 } }, 'failure'],
])('the ACP update %j is recorded as %s', (update, outcome) => {
  const told = parseReportedUpdate({ toolCallId: '1', ...update }, '/w')
  expect(told === null ? null : readOutcome(told)).toBe(outcome)
})

test('the file of an ACP update is absolute, from its input, its diff or its location', () => {
  const file = (update: object) => parseReportedUpdate({ toolCallId: '1', ...update }, '/w')?.file
  expect(file({ rawInput: { filePath: 'a' }, locations: [{ path: '/w' }] })).toBe('/w/a')
  expect(file({ content: [{ type: 'diff', path: '/w/b' }] })).toBe('/w/b')
  expect(file({ locations: [{ path: '/w/c' }] })).toBe('/w/c')
  expect(file({})).toBeUndefined()
})

test('a rejection in ACP selects "reject_once", or cancels the request without that option', () => {
  const once = { optionId: 'n', kind: 'reject_once' }
  const ever = { optionId: 'e', kind: 'reject_always' }
  expect(rejection([ever, once])).toEqual({ outcome: { outcome: 'selected', optionId: 'n' } })
  expect(rejection([ever])).toEqual({ outcome: { outcome: 'cancelled' } })
  expect(rejection(undefined)).toEqual({ outcome: { outcome: 'cancelled' } })
})
