import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { PolicyDocument, SessionEvent } from '@signalbox/core'
import { createGuardrails } from '@signalbox/runtime'
import { capabilitiesRecord, HarnessSession } from '@signalbox/runtime/harness'
import type { CompatHarness, CompatOutcome, CompatRun, ScriptedCall } from '@signalbox/testkit'
import { orderGiver } from '../../test/give-orders.ts'
import { MCP_CAPABILITIES, MCP_PROFILE } from '../capabilities.ts'
import { type Connect, overHttp, overStdio } from './lab.ts'

const BROKEN: readonly PolicyDocument[] = [{ id: 'broken', type: 'never_answers' }]

function driver(name: string, connect: Connect): CompatHarness {
  return {
    name,
    tested: '@modelcontextprotocol/sdk 1.32.2',
    capabilities: capabilitiesRecord(MCP_CAPABILITIES),
    tools: { write: 'write_file', read: 'read_file', check: 'check', plan: null },
    reportsUsage: false,
    run: (run) => runOver(connect, run),
  }
}

export const mcpStdioDriver = driver('mcp (stdio)', overStdio)
export const mcpHttpDriver = driver('mcp (streamable HTTP)', overHttp)

async function runOver(connect: Connect, run: CompatRun): Promise<CompatOutcome> {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'signalbox-kit-'))
  for (const [file, content] of Object.entries(run.files ?? {})) {
    await fs.writeFile(path.join(folder, file), content)
  }
  const events: SessionEvent[] = []
  const requests = ['Begin.']
  const { client, close } = await connect(folder, openMcpSession(run, { folder, events }))
  const output = await follow(run.script, requests, async (call) => {
    const result = await client.callTool(toMcpCall(call))
    return JSON.stringify(result.content)
  })
  await close()
  const names = await fs.readdir(folder)
  const files = await Promise.all(
    names.map(async (name) => [name, await fs.readFile(path.join(folder, name), 'utf8')] as const),
  )
  await fs.rm(folder, { recursive: true })
  return { requests, files: Object.fromEntries(files), events, output }
}

async function follow(
  script: CompatRun['script'],
  requests: string[],
  call: (call: ScriptedCall) => Promise<string>,
): Promise<string | null> {
  for (const turn of script) {
    if ('say' in turn) return turn.say
    if ('calls' in turn) {
      const results = await Promise.all(turn.calls.map(call))
      requests.push([...requests.slice(-1), ...results].join('\n'))
    }
  }
  return null
}

function openMcpSession(
  { config, guard, deadlineInMs, orders }: CompatRun,
  { folder, events }: { readonly folder: string; readonly events: SessionEvent[] },
): HarnessSession {
  const giver = orderGiver(orders)
  const guardrails = createGuardrails({
    config:
      guard === 'hangs' ? { ...config, policies: [...(config.policies ?? []), ...BROKEN] } : config,
    custom: { policies: { never_answers: { answer: () => new Promise(() => undefined) } } },
    // Only runs whose guard hangs have a limit this short: on a busy machine, a file look-up takes longer.
    ...(guard === 'hangs' ? { answerTimeoutMs: 50 } : {}),
    onEvent: (line) => {
      events.push(JSON.parse(line))
      giver.onEvent(line)
    },
  })
  const session = HarnessSession.open(giver.follow(guardrails), MCP_PROFILE, {
    workspaceRoot: folder,
    ...(deadlineInMs === undefined ? {} : { deadlineAt: Date.now() + deadlineInMs }),
  })
  if (guard === 'crashes') session.before = () => Promise.reject(new Error('the guard is broken'))
  return session
}

function toMcpCall(call: ScriptedCall) {
  if ('write' in call) {
    return { name: 'write_file', arguments: { path: call.write, content: call.content } }
  }
  if ('read' in call) return { name: 'read_file', arguments: { path: call.read } }
  if ('check' in call) return { name: 'check', arguments: { how: call.check } }
  throw new Error('MCP has no plan tool of its own.')
}
