// Reports its calls, asks for permission, and then changes real files as permitted.
import fs from 'node:fs/promises'
import path from 'node:path'
import {
  type AgentApp,
  type AgentContext,
  agent,
  type PermissionOption,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
  type ToolKind,
} from '@agentclientprotocol/sdk'
import type { ModelTurn, ScriptedCall } from '@signalbox/testkit'

export interface ScriptedAgent {
  readonly app: AgentApp
  readonly requests: readonly string[]
  readonly said: () => string | null
}

export interface AgentOptions {
  readonly script: readonly ModelTurn[]
  /** True: the agent requests permission for this call. Absent: always. */
  readonly asks?: (call: ScriptedCall) => boolean
}

export function scriptedAgent({ script, asks = () => true }: AgentOptions): ScriptedAgent {
  const requests: string[] = []
  const turns = [...script]
  let told = ''
  let said: string | null = null
  let calls = 0
  const app = agent()
    .onRequest('initialize', () => ({
      protocolVersion: PROTOCOL_VERSION,
      agentCapabilities: { loadSession: true },
      agentInfo: { name: 'scripted', version: '3.1.0' },
    }))
    .onRequest('session/new', ({ params }) => ({ sessionId: `session:${params.cwd}` }))
    .onRequest('session/load', async ({ params, client }) => {
      const { sessionId } = params
      const past = { toolCallId: 'past', title: 'old', status: 'completed' } as const
      const update = { sessionUpdate: 'tool_call', ...past } as const
      await client.notify('session/update', { sessionId, update })
      return {}
    })
    .onRequest('session/prompt', async ({ params, client }) => {
      const { sessionId } = params
      const at: Place = { client, sessionId, cwd: sessionId.slice('session:'.length), asks }
      for (const block of params.prompt) told += block.type === 'text' ? `${block.text}\n` : ''
      for (;;) {
        requests.push(told)
        const turn = turns.shift() ?? { say: 'The script has ended.' }
        if ('calls' in turn) {
          const results = turn.calls.map((call) => {
            calls += 1
            return perform(call, `call_${calls}`, at)
          })
          told += `${(await Promise.all(results)).join('\n')}\n`
          continue
        }
        said = 'say' in turn ? turn.say : JSON.stringify(turn.output)
        const content = { type: 'text', text: said } as const
        const update = { sessionUpdate: 'agent_message_chunk', content } as const
        await client.notify('session/update', { sessionId, update })
        return { stopReason: 'end_turn' }
      }
    })
  return { app, requests, said: () => said }
}

interface Place {
  readonly client: AgentContext
  readonly sessionId: string
  readonly cwd: string
  readonly asks: (call: ScriptedCall) => boolean
}

const OPTIONS: readonly PermissionOption[] = [
  { optionId: 'yes', kind: 'allow_once', name: 'Allow' },
  { optionId: 'ever', kind: 'allow_always', name: 'Always allow' },
  { optionId: 'no', kind: 'reject_once', name: 'Reject' },
]

async function perform(call: ScriptedCall, toolCallId: string, at: Place): Promise<string> {
  const { client, sessionId, cwd, asks } = at
  if ('plan' in call) {
    const entries = call.plan.map(({ title, done }) => ({
      content: title,
      priority: 'medium' as const,
      status: done ? ('completed' as const) : ('pending' as const),
    }))
    await client.notify('session/update', { sessionId, update: { sessionUpdate: 'plan', entries } })
    return 'planned'
  }
  const shape = { toolCallId, ...toAcpShape(call) }
  await client.notify('session/update', {
    sessionId,
    update: { sessionUpdate: 'tool_call', ...shape, status: 'pending' },
  })
  const toldEnd = (status: 'completed' | 'failed', text: string, rawOutput: object) =>
    client.notify('session/update', {
      sessionId,
      update: {
        sessionUpdate: 'tool_call_update',
        toolCallId,
        status,
        rawOutput,
        content: [{ type: 'content', content: { type: 'text', text } }],
      },
    })
  if (asks(call)) {
    const request: RequestPermissionRequest = {
      sessionId,
      toolCall: shape,
      options: [...OPTIONS],
    }
    const { outcome } = await client.request('session/request_permission', request)
    if (outcome.outcome !== 'selected' || outcome.optionId === 'no') {
      await toldEnd('failed', 'rejected', {})
      return 'The call was rejected.'
    }
  }
  const done = await execute(call, cwd)
  await toldEnd(done.isError ? 'failed' : 'completed', done.text, {
    exitCode: done.isError ? 3 : 0,
  })
  return done.text
}

function toAcpShape(call: Exclude<ScriptedCall, { plan: unknown }>) {
  const as = (title: string, kind: ToolKind, rawInput: object) => ({ title, kind, rawInput })
  if ('write' in call) {
    return as('write', 'edit', { filePath: call.write, content: call.content })
  }
  if ('read' in call) return as('read', 'read', { filePath: call.read })
  return as('run the check', 'execute', { command: call.check === 'passes' ? 'true' : 'exit 3' })
}

async function execute(call: Exclude<ScriptedCall, { plan: unknown }>, cwd: string) {
  if ('write' in call) {
    await fs.writeFile(path.join(cwd, call.write), call.content)
    return { isError: false, text: `wrote ${call.write}` }
  }
  if ('read' in call)
    return { isError: false, text: await fs.readFile(path.join(cwd, call.read), 'utf8') }
  return { isError: call.check === 'fails', text: `the check ${call.check}` }
}
