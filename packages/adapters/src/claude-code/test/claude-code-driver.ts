import { capabilitiesRecord } from '@signalbox/runtime/harness'
import {
  type CompatHarness,
  type CompatOutcome,
  type CompatRun,
  jsonLines,
  launchClaude,
  makeLabFolders,
  startAnthropicServer,
} from '@signalbox/testkit'
import {
  ANSWER_SCHEMA,
  CLAUDE_COMPAT_TOOLS,
  claudeScript,
  givesOutput,
} from '../../test/claude-script.ts'
import { textFilesIn } from '../../test/workspace-files.ts'
import { claudeCapabilities } from '../capabilities.ts'
import { claudeCode, claudeCodeByCommand } from '../claude-code.ts'
import { claudeHookSettings } from '../hook-settings.ts'
import { startHookServer } from './hook-server.ts'

const VERSION = '2.1.329'

export const claudeHttpDriver: CompatHarness = {
  name: 'claude-code (http hook)',
  tested: `@anthropic-ai/claude-code ${VERSION}`,
  capabilities: capabilitiesRecord(claudeCapabilities(VERSION, 'http')),
  tools: CLAUDE_COMPAT_TOOLS,
  reportsUsage: false,
  run: (run) => runClaude(run, 'http'),
}

export const claudeCommandDriver: CompatHarness = {
  ...claudeHttpDriver,
  name: 'claude-code (command hook)',
  capabilities: capabilitiesRecord(claudeCapabilities(VERSION, 'command')),
  run: (run) => runClaude(run, 'command'),
}

async function runClaude(run: CompatRun, way: 'http' | 'command'): Promise<CompatOutcome> {
  const folders = makeLabFolders(run.files)
  const model = await startAnthropicServer(claudeScript(run.script, folders.workspace))
  const server = await startHookServer(way === 'http' ? claudeCode : claudeCodeByCommand, run)
  try {
    const timeout = run.guard === 'hangs' ? { timeoutSeconds: 1 } : {}
    const asked =
      way === 'http' ? { http: { url: server.url } } : { command: { command: server.command } }
    const exit = await launchClaude({
      ...folders,
      prompt: 'Do it.',
      modelUrl: model.url,
      settings: { hooks: claudeHookSettings({ ...asked, ...timeout }) },
      args: givesOutput(run) ? ['--json-schema', JSON.stringify(ANSWER_SCHEMA)] : [],
    })
    const result = jsonLines(exit.stdout).findLast(({ type }) => type === 'result')
    return {
      requests: model.requests,
      files: textFilesIn(folders.workspace),
      events: server.events,
      output: result?.['structured_output'] ?? result?.['result'] ?? null,
    }
  } finally {
    await server.close()
    await model.close()
    folders.remove()
  }
}
