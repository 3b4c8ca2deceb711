import path from 'node:path'
import { capabilitiesRecord } from '@signalbox/runtime/harness'
import {
  type CompatHarness,
  type CompatOutcome,
  type CompatRun,
  launchOpencode,
  type ModelTurn,
  makeLabFolders,
  type NativeToolCall,
  type ScriptedCall,
  type ScriptedTurn,
  startChatServer,
} from '@signalbox/testkit'
import { build } from 'esbuild'
import { findFailureFile, toCheckCommand } from '../../test/check-command.ts'
import { startHookLab } from '../../test/hook-lab.ts'
import { textFilesIn } from '../../test/workspace-files.ts'
import { OPENCODE_CAPABILITIES } from '../capabilities.ts'
import { opencode } from '../opencode-hooks.ts'

export const opencodeDriver: CompatHarness = {
  name: 'opencode (plugin)',
  tested: 'opencode-ai 1.18.33',
  capabilities: capabilitiesRecord(OPENCODE_CAPABILITIES),
  tools: { write: 'write_file', read: 'read_file', check: 'shell', plan: 'update_plan' },
  reportsUsage: false,
  run: runInOpencode,
}

const THROWING_TOOL = `import fs from 'node:fs'
import { tool } from '@opencode-ai/plugin'
export const Lab = async () => ({
  tool: {
    throw_text: tool({
      description: 'Fails with the text of a file.',
      args: { file: tool.schema.string() },
      execute: async ({ file }) => {
        throw new Error(fs.readFileSync(file, 'utf8'))
      },
    }),
  },
})`

async function pluginSource(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path.join(import.meta.dirname, '../plugin.ts')],
    write: false,
    platform: 'node',
    format: 'esm',
  })
  return outputFiles[0]?.text ?? ''
}

async function runInOpencode(run: CompatRun): Promise<CompatOutcome> {
  const folders = makeLabFolders(run.files)
  const socket = path.join(folders.home, 'daemon.sock')
  const lab = await startHookLab(opencode, run, { socket })
  const model = await startChatServer(
    run.script.map((turn) => toOpencodeTurn(turn, folders.workspace)),
  )
  try {
    const exit = await launchOpencode({
      ...folders,
      prompt: 'Begin.',
      modelUrl: model.url,
      plugins: { 'signalbox.js': await pluginSource(), 'lab.js': THROWING_TOOL },
      env: {
        SIGNALBOX_SOCKET: socket,
        ...(run.guard === 'hangs' ? { SIGNALBOX_HOOK_TIMEOUT_MS: '300' } : {}),
      },
    })
    await lab.close()
    return {
      requests: model.requests,
      files: textFilesIn(folders.workspace),
      events: lab.events,
      output: exit.exitCode === 0 ? exit.stdout : null,
    }
  } finally {
    await lab.close()
    await model.close()
    folders.remove()
  }
}

function toOpencodeTurn(turn: ModelTurn, workspace: string): ScriptedTurn {
  if ('say' in turn) return { say: turn.say }
  if ('output' in turn) throw new Error('opencode run has no structured output.')
  return { calls: turn.calls.map((call) => toOpencodeCall(call, workspace)) }
}

function toOpencodeCall(call: ScriptedCall, workspace: string): NativeToolCall {
  if ('write' in call) {
    const filePath = path.join(workspace, call.write)
    return { name: 'write', input: { filePath, content: call.content } }
  }
  if ('read' in call) return { name: 'read', input: { filePath: path.join(workspace, call.read) } }
  if ('check' in call) {
    const file = findFailureFile(call.check)
    // A command that fails has an output in opencode; the error of other tools takes another way.
    return file === undefined
      ? { name: 'bash', input: { command: toCheckCommand(call.check), description: 'Check' } }
      : { name: 'throw_text', input: { file: path.join(workspace, file) } }
  }
  const todos = call.plan.map(({ title, done }, index) => ({
    id: String(index),
    content: title,
    status: done ? 'completed' : 'in_progress',
    priority: 'high',
  }))
  return { name: 'todowrite', input: { todos } }
}
