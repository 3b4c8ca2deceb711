import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { Readable, Writable } from 'node:stream'
import { ndJsonStream } from '@agentclientprotocol/sdk'
import type { SessionEvent } from '@signalbox/core'
import { capabilitiesRecord } from '@signalbox/runtime/harness'
import {
  buildEnvironment,
  type CompatHarness,
  type CompatOutcome,
  type CompatRun,
  type ModelTurn,
  makeLabFolders,
  type NativeToolCall,
  opencodeEnvironment,
  opencodeProgram,
  prepareOpencode,
  type ScriptedCall,
  type ScriptedTurn,
  startChatServer,
} from '@signalbox/testkit'
import { toCheckCommand } from '../../test/check-command.ts'
import { textFilesIn } from '../../test/workspace-files.ts'
import { streamEnd } from '../acp-end.ts'
import { ACP_CAPABILITIES } from '../capabilities.ts'
import { createOpener } from './acp-driver.ts'
import { type EditorLab, startEditor } from './lab.ts'

const ASK_ALL = ['bash', 'edit', 'read', 'todowrite'] as const

export const acpOpencodeDriver: CompatHarness = {
  name: 'acp (experimental, opencode)',
  tested: 'opencode-ai 1.18.33',
  capabilities: capabilitiesRecord(ACP_CAPABILITIES),
  tools: { write: 'write_file', read: 'read_file', check: 'shell', plan: 'update_plan' },
  reportsUsage: false,
  run: (run) =>
    runInOpencode(run, async (lab) => {
      await lab.prompt('Begin.')
      // A denied call ends the turn of this agent; after the session is resumed, its user goes on.
      if (run.orders?.some(({ action }) => action === 'resume')) await lab.prompt('Continue.')
    }),
}

export interface OpencodeRun extends CompatRun {
  /** Tools that opencode asks permission for. Absent: all that the kit uses. */
  readonly asks?: readonly string[]
}

export async function runInOpencode(
  run: OpencodeRun,
  act: (lab: EditorLab) => Promise<void>,
): Promise<CompatOutcome> {
  const folders = makeLabFolders(run.files)
  const model = await startChatServer(run.script.map((turn) => toAcpTurn(turn, folders.workspace)))
  const permission = Object.fromEntries((run.asks ?? ASK_ALL).map((tool) => [tool, 'ask']))
  const launch = { home: folders.home, modelUrl: model.url, config: { permission } }
  prepareOpencode(launch)
  const child = spawn(opencodeProgram(), ['acp'], {
    cwd: folders.workspace,
    env: buildEnvironment(opencodeEnvironment(launch)),
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const exited = once(child, 'exit')
  const events: SessionEvent[] = []
  try {
    // Node.js and the SDK declare the same stream under different names.
    const input = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>
    const lab = await startEditor({
      agent: streamEnd(ndJsonStream(Writable.toWeb(child.stdin), input)),
      cwd: folders.workspace,
      open: createOpener(run, events),
    })
    await act(lab)
    await lab.close()
    return {
      requests: model.requests,
      files: textFilesIn(folders.workspace),
      events,
      output: null,
    }
  } finally {
    child.kill('SIGKILL')
    await exited
    await model.close()
    folders.remove()
  }
}

function toAcpTurn(turn: ModelTurn, workspace: string): ScriptedTurn {
  if ('say' in turn) return { say: turn.say }
  if ('output' in turn) throw new Error('ACP has no structured output.')
  return { calls: turn.calls.map((call) => toAcpCall(call, workspace)) }
}

function toAcpCall(call: ScriptedCall, workspace: string): NativeToolCall {
  if ('write' in call) {
    const filePath = path.join(workspace, call.write)
    return { name: 'write', input: { filePath, content: call.content } }
  }
  if ('read' in call) return { name: 'read', input: { filePath: path.join(workspace, call.read) } }
  if ('check' in call) {
    return {
      name: 'bash',
      input: { command: toCheckCommand(call.check), description: 'Check' },
    }
  }
  const todos = call.plan.map(({ title, done }, index) => ({
    id: String(index),
    content: title,
    status: done ? 'completed' : 'pending',
    priority: 'medium',
  }))
  return { name: 'todowrite', input: { todos } }
}
