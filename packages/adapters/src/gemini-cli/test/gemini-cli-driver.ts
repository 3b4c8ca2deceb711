import { capabilitiesRecord } from '@signalbox/runtime/harness'
import {
  type CompatHarness,
  type CompatOutcome,
  type CompatRun,
  jsonLines,
  launchGemini,
  type ModelTurn,
  makeLabFolders,
  type NativeToolCall,
  type ScriptedCall,
  type ScriptedTurn,
  startGeminiServer,
} from '@signalbox/testkit'
import { toCheckCommand } from '../../test/check-command.ts'
import { startHookLab } from '../../test/hook-lab.ts'
import { textFilesIn } from '../../test/workspace-files.ts'
import { GEMINI_CLI_CAPABILITIES } from '../capabilities.ts'
import { geminiCli } from '../gemini-cli.ts'
import { geminiCliHooks } from '../hooks-file.ts'

const VERSION = '0.61.0'

export const geminiCliDriver: CompatHarness = {
  name: 'gemini-cli (command hooks)',
  tested: `@google/gemini-cli ${VERSION}`,
  capabilities: capabilitiesRecord(GEMINI_CLI_CAPABILITIES),
  tools: { write: 'write_file', read: 'read_file', check: 'shell', plan: 'update_plan' },
  reportsUsage: true,
  run: runGemini,
}

async function runGemini(run: CompatRun): Promise<CompatOutcome> {
  const folders = makeLabFolders(run.files)
  const model = await startGeminiServer(run.script.map(toGeminiTurn))
  const lab = await startHookLab(geminiCli, { ...run, version: VERSION })
  try {
    const exit = await launchGemini({
      ...folders,
      prompt: 'Do it.',
      modelUrl: model.url,
      settings: { hooks: geminiCliHooks(lab.command) },
    })
    const said = jsonLines(exit.stdout).flatMap(({ type, role, content }) =>
      type === 'message' && role === 'assistant' ? [content] : [],
    )
    await lab.close()
    return {
      requests: model.requests,
      files: textFilesIn(folders.workspace),
      events: lab.events,
      output: said.at(-1) ?? null,
    }
  } finally {
    await lab.close()
    await model.close()
    folders.remove()
  }
}

function toGeminiTurn(turn: ModelTurn): ScriptedTurn {
  if ('calls' in turn) return { calls: turn.calls.map(toGeminiCall) }
  return { say: 'say' in turn ? turn.say : JSON.stringify(turn.output) }
}

function toGeminiCall(call: ScriptedCall): NativeToolCall {
  if ('write' in call) {
    return { name: 'write_file', input: { file_path: call.write, content: call.content } }
  }
  if ('read' in call) return { name: 'read_file', input: { file_path: call.read } }
  if ('check' in call) {
    return { name: 'run_shell_command', input: { command: toCheckCommand(call.check) } }
  }
  const todos = call.plan.map(({ title, done }) => ({
    description: title,
    status: done ? 'completed' : 'in_progress',
  }))
  return { name: 'write_todos', input: { todos } }
}
