import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startAnthropicServer } from '../model-servers/anthropic-server.ts'
import { startChatServer } from '../model-servers/chat-server.ts'
import { startGeminiServer } from '../model-servers/gemini-server.ts'
import type { ModelServer } from '../model-servers/model-server.ts'
import { startResponsesServer } from '../model-servers/responses-server.ts'
import type { ModelScript, NativeToolCall } from '../model-servers/script.ts'
import { launchClaude } from './claude.ts'
import { launchCodex } from './codex.ts'
import { launchCopilot } from './copilot.ts'
import { launchGemini } from './gemini.ts'
import type { HarnessExit } from './harness-process.ts'
import { type HarnessTier, whyNotInstalled } from './installed-harness.ts'
import { makeLabFolders } from './lab-folders.ts'
import type { HarnessLaunch } from './launch.ts'
import { launchOpencode } from './opencode.ts'

interface Launcher {
  readonly name: string
  readonly tier: HarnessTier
  start(script: ModelScript): Promise<ModelServer>
  run(launch: HarnessLaunch): Promise<HarnessExit>
  runWithHook(launch: HarnessLaunch): Promise<HarnessExit>
  readonly shell: NativeToolCall
}

/** The command does not contain its output, so a model that saw the output saw the result. */
const COMMAND = `printf 'from-%s' 42 | tee made.txt`
const HOOK = `printf 'asked\\n' >> hook.log`
const command = { type: 'command', command: HOOK }

const LAUNCHERS: readonly Launcher[] = [
  {
    name: 'Claude Code',
    tier: 'first',
    start: startAnthropicServer,
    run: launchClaude,
    runWithHook: (launch) =>
      launchClaude({ ...launch, settings: { hooks: { PreToolUse: [{ hooks: [command] }] } } }),
    shell: { name: 'Bash', input: { command: COMMAND } },
  },
  {
    name: 'Codex',
    tier: 'first',
    start: startResponsesServer,
    run: launchCodex,
    runWithHook: (launch) =>
      launchCodex({ ...launch, hooks: { hooks: { PreToolUse: [{ hooks: [command] }] } } }),
    shell: { name: 'exec_command', input: { cmd: COMMAND } },
  },
  {
    name: 'opencode',
    tier: 'second',
    start: startChatServer,
    run: launchOpencode,
    runWithHook: (launch) => launchOpencode({ ...launch, plugins: { 'log.js': PLUGIN } }),
    shell: { name: 'bash', input: { command: COMMAND, description: 'Make a file' } },
  },
  {
    name: 'Gemini CLI',
    tier: 'second',
    start: startGeminiServer,
    run: launchGemini,
    runWithHook: (launch) =>
      launchGemini({ ...launch, settings: { hooks: { BeforeTool: [{ hooks: [command] }] } } }),
    shell: { name: 'run_shell_command', input: { command: COMMAND } },
  },
  {
    name: 'Copilot CLI',
    tier: 'second',
    start: startChatServer,
    run: launchCopilot,
    runWithHook: (launch) =>
      launchCopilot({
        ...launch,
        hooks: { version: 1, hooks: { preToolUse: [{ type: 'command', bash: HOOK }] } },
      }),
    shell: { name: 'bash', input: { command: COMMAND, description: 'Make a file' } },
  },
]

const PLUGIN = `import { appendFileSync } from 'node:fs'
export const Log = async ({ directory }) => ({
  'tool.execute.before': async () => appendFileSync(directory + '/hook.log', 'asked\\n'),
})
`

async function openLab({ start, shell }: Launcher) {
  const model = await start([{ calls: [shell] }, { say: 'All done.' }])
  onTestFinished(() => model.close())
  const folders = makeLabFolders()
  onTestFinished(() => folders.remove())
  const readWorkspaceText = (name: string) =>
    fs.readFileSync(path.join(folders.workspace, name), 'utf8')
  return {
    model,
    readWorkspaceText,
    launch: { ...folders, prompt: 'Make the file.', modelUrl: model.url },
  }
}

for (const launcher of LAUNCHERS) {
  describe.skipIf(whyNotInstalled(launcher.tier) !== null)(`${launcher.name} in the lab`, () => {
    test('runs the calls of the script and shows their results to the model', async () => {
      const { model, readWorkspaceText, launch } = await openLab(launcher)

      const exit = await launcher.run(launch)

      expect(exit).toMatchObject({ exitCode: 0, timedOut: false })
      expect(exit.stdout).toContain('All done.')
      expect(readWorkspaceText('made.txt')).toBe('from-42')
      expect(model.requests).toHaveLength(2)
      expect(model.requests[0]).toContain('Make the file.')
      expect(model.requests[0]).not.toContain('from-42')
      expect(model.requests[1]).toContain('from-42')
      expect(model.unknown).toEqual([])
    })

    test('runs the hook that a test provides, and the call after it', async () => {
      const { readWorkspaceText, launch } = await openLab(launcher)

      await launcher.runWithHook(launch)

      expect(readWorkspaceText('hook.log')).toBe('asked\n')
      expect(readWorkspaceText('made.txt')).toBe('from-42')
    })
  })
}
