import {
  type AnyMessage,
  type ClientContext,
  type ContentBlock,
  client,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
  type SessionNotification,
  type Stream,
} from '@agentclientprotocol/sdk'
import type { HarnessSession } from '@signalbox/runtime/harness'
import { type AcpEnd, streamEnd } from '../acp-end.ts'
import { type AcpProxy, type AcpProxyOptions, startAcpProxy } from '../acp-proxy.ts'
import { type AgentOptions, type ScriptedAgent, scriptedAgent } from './scripted-agent.ts'

export interface EditorLab {
  readonly editor: ClientContext
  readonly proxy: AcpProxy
  readonly asked: readonly RequestPermissionRequest[]
  readonly updates: readonly SessionNotification['update'][]
  prompt(text: string): Promise<string>
  cancel(): Promise<void>
  close(): Promise<void>
}

export interface EditorOptions {
  readonly agent: AcpEnd
  readonly cwd: string
  readonly open: AcpProxyOptions['open']
  /** Id of the option that the user chooses. Absent: the first. */
  readonly choose?: (request: RequestPermissionRequest) => string
}

export async function startEditor(options: EditorOptions): Promise<EditorLab> {
  const { agent, cwd, open, choose = pickFirstOption } = options
  const [editorSide, clientEnd] = linked()
  const proxy = await startAcpProxy({ client: streamEnd(clientEnd), agent, open, cwd })
  const asked: RequestPermissionRequest[] = []
  const updates: SessionNotification['update'][] = []
  const connection = client()
    .onNotification('session/update', ({ params }) => void updates.push(params.update))
    .onRequest('session/request_permission', ({ params }) => {
      asked.push(params)
      return { outcome: { outcome: 'selected', optionId: choose(params) } }
    })
    .connect(editorSide)
  const editor = connection.agent
  await editor.request('initialize', { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} })
  const { sessionId } = await editor.request('session/new', { cwd, mcpServers: [] })
  return {
    editor,
    proxy,
    asked,
    updates,
    async prompt(text) {
      const prompt: ContentBlock[] = [{ type: 'text', text }]
      const ended = await editor.request('session/prompt', { sessionId, prompt })
      return ended.stopReason
    },
    cancel: () => editor.notify('session/cancel', { sessionId }),
    async close() {
      await proxy.close()
      connection.close()
    },
  }
}

export interface AcpLab extends EditorLab {
  readonly agent: ScriptedAgent
}

export async function startAcpLab(
  options: AgentOptions & Omit<EditorOptions, 'agent'>,
): Promise<AcpLab> {
  const [agentEnd, agentSide] = linked()
  const agent = scriptedAgent(options)
  agent.app.connect(agentSide)
  return { ...(await startEditor({ ...options, agent: streamEnd(agentEnd) })), agent }
}

function pickFirstOption({ options }: RequestPermissionRequest): string {
  return options[0]?.optionId ?? ''
}

function linked(): readonly [Stream, Stream] {
  const [there, back] = [
    new TransformStream<AnyMessage, AnyMessage>(),
    new TransformStream<AnyMessage, AnyMessage>(),
  ]
  return [
    { readable: back.readable, writable: there.writable },
    { readable: there.readable, writable: back.writable },
  ]
}

export function crashing(session: HarnessSession): HarnessSession {
  session.before = () => Promise.reject(new Error('the guard is broken'))
  return session
}
