import fs from 'node:fs'
import path from 'node:path'
import { capabilitiesRecord } from '@signalbox/runtime/harness'
import {
  type CompatHarness,
  type CompatOutcome,
  type CompatRun,
  jsonLines,
  launchCodex,
  type ModelTurn,
  makeLabFolders,
  type NativeToolCall,
  type ScriptedCall,
  type ScriptedTurn,
  startResponsesServer,
} from '@signalbox/testkit'
import { toCheckCommand } from '../../test/check-command.ts'
import { startHookLab } from '../../test/hook-lab.ts'
import { textFilesIn } from '../../test/workspace-files.ts'
import { codexProfile } from '../capabilities.ts'
import { codex } from '../codex.ts'
import { codexHooks } from '../hooks-file.ts'

const VERSION = '0.169.0'

export const codexDriver: CompatHarness = {
  name: 'codex (command hooks)',
  tested: `@openai/codex ${VERSION}`,
  capabilities: capabilitiesRecord(codexProfile(VERSION).capabilities),
  tools: { write: 'write_file', read: null, check: 'shell', plan: 'update_plan' },
  reportsUsage: true,
  run: (run) => runCodex(run, []),
}

/** Without a session file no hook reports how a call ended, or the version. */
export const ephemeralCodexDriver: CompatHarness = {
  ...codexDriver,
  name: 'codex --ephemeral (command hooks)',
  // Capabilities for an unknown version are lower; the hooks fail closed nevertheless.
  capabilities: {
    ...capabilitiesRecord(codexProfile(null).capabilities),
    on_guard_crash: 'closed',
    on_guard_timeout: 'closed',
  },
  reportsUsage: false,
  run: (run) => runCodex(run, ['--ephemeral']),
}

async function runCodex(run: CompatRun, args: readonly string[]): Promise<CompatOutcome> {
  const folders = makeLabFolders(run.files)
  const model = await startResponsesServer(run.script.map(toCodexTurn))
  const lab = await startHookLab(codex, run)
  try {
    const structured = run.script.some((turn) => 'output' in turn)
    const exit = await launchCodex({
      ...folders,
      prompt: 'Do it.',
      modelUrl: model.url,
      hooks: { hooks: codexHooks(lab.command) },
      args: [...args, ...(structured ? ['--output-schema', anySchema(folders.home)] : [])],
    })
    const said = jsonLines(exit.stdout).flatMap(({ item }) => readMessageText(item))
    const last = said.at(-1) ?? null
    await lab.close()
    return {
      requests: model.requests,
      files: textFilesIn(folders.workspace),
      events: lab.events,
      output: structured && last !== null ? JSON.parse(last) : last,
    }
  } finally {
    await lab.close()
    await model.close()
    folders.remove()
  }
}

function readMessageText(item: unknown): readonly string[] {
  if (typeof item !== 'object' || item === null) return []
  const { type, text } = item as { readonly type?: unknown; readonly text?: unknown }
  return type === 'agent_message' && typeof text === 'string' ? [text] : []
}

function anySchema(home: string): string {
  const file = path.join(home, 'schema.json')
  const answer = { type: 'string' }
  const schema = {
    type: 'object',
    properties: { answer },
    required: ['answer'],
    additionalProperties: false,
  }
  fs.writeFileSync(file, JSON.stringify(schema))
  return file
}

function toCodexTurn(turn: ModelTurn): ScriptedTurn {
  if ('say' in turn) return { say: turn.say }
  if ('output' in turn) return { say: JSON.stringify(turn.output) }
  return { calls: turn.calls.map(toCodexCall) }
}

function toCodexCall(call: ScriptedCall): NativeToolCall {
  if ('write' in call) {
    const lines = call.content.replace(/\n$/, '').split('\n')
    const added = lines.map((line) => `+${line}\n`).join('')
    return {
      name: 'apply_patch',
      input: `*** Begin Patch\n*** Add File: ${call.write}\n${added}*** End Patch\n`,
    }
  }
  if ('read' in call) return { name: 'exec_command', input: { cmd: `cat '${call.read}'` } }
  if ('check' in call) {
    return { name: 'exec_command', input: { cmd: toCheckCommand(call.check) } }
  }
  const plan = call.plan.map(({ title, done }) => ({
    step: title,
    status: done ? 'completed' : 'in_progress',
  }))
  return { name: 'update_plan', input: { plan } }
}
