import path from 'node:path'
import { capabilitiesRecord } from '@signalbox/runtime/harness'
import {
  type CompatHarness,
  type CompatOutcome,
  type CompatRun,
  jsonLines,
  launchCopilot,
  type ModelTurn,
  makeLabFolders,
  type NativeToolCall,
  type ScriptedCall,
  type ScriptedTurn,
  startChatServer,
} from '@signalbox/testkit'
import { toCheckCommand } from '../../test/check-command.ts'
import { startHookLab } from '../../test/hook-lab.ts'
import { textFilesIn } from '../../test/workspace-files.ts'
import { COPILOT_CAPABILITIES } from '../capabilities.ts'
import { copilot } from '../copilot.ts'
import { copilotHooks } from '../hooks-file.ts'

const VERSION = '1.0.102'

export const copilotDriver: CompatHarness = {
  name: 'copilot (command hooks)',
  tested: `@github/copilot ${VERSION}`,
  capabilities: capabilitiesRecord(COPILOT_CAPABILITIES),
  tools: { write: 'write_file', read: 'read_file', check: 'shell', plan: null },
  // Copilot writes its usage too late for the stop of the same turn.
  reportsUsage: false,
  run: runCopilot,
}

async function runCopilot(run: CompatRun): Promise<CompatOutcome> {
  const folders = makeLabFolders(run.files)
  const { workspace } = folders
  const model = await startChatServer(
    run.script.map((turn) => toCopilotTurn(turn, { ...run, workspace })),
  )
  // `create` only makes new files, so `edit` overwrites them. The rules treat both the same.
  const config = { ...run.config, aliases: { ...run.config.aliases, edit: 'write_file' } }
  const lab = await startHookLab(copilot, { ...run, config, version: VERSION })
  try {
    const exit = await launchCopilot({
      ...folders,
      prompt: 'Do it.',
      modelUrl: model.url,
      hooks: { version: 1, hooks: copilotHooks(lab.command) },
    })
    const said = jsonLines(exit.stdout).flatMap(({ type, data }) =>
      type === 'assistant.message' && typeof data === 'object' && data !== null ? [data] : [],
    )
    const last = said.at(-1)
    await lab.close()
    return {
      requests: model.requests,
      files: textFilesIn(folders.workspace),
      events: lab.events,
      output: last !== undefined && 'content' in last ? last['content'] : null,
    }
  } finally {
    await lab.close()
    await model.close()
    folders.remove()
  }
}

interface Place {
  readonly workspace: string
  readonly files?: CompatRun['files']
}

function toCopilotTurn(turn: ModelTurn, place: Place): ScriptedTurn {
  if ('calls' in turn) return { calls: turn.calls.map((call) => toCopilotCall(call, place)) }
  return { say: 'say' in turn ? turn.say : JSON.stringify(turn.output) }
}

function toCopilotCall(call: ScriptedCall, { workspace, files = {} }: Place): NativeToolCall {
  if ('write' in call) {
    const file = path.join(workspace, call.write)
    const old = files[call.write]
    return old === undefined
      ? { name: 'create', input: { path: file, file_text: call.content } }
      : { name: 'edit', input: { path: file, old_str: old, new_str: call.content } }
  }
  if ('read' in call) return { name: 'view', input: { path: path.join(workspace, call.read) } }
  const command = toCheckCommand('check' in call ? call.check : 'passes')
  return { name: 'bash', input: { command, description: 'Check' } }
}
