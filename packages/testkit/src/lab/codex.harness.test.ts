import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startResponsesServer } from '../model-servers/responses-server.ts'
import type { ScriptedTurn } from '../model-servers/script.ts'
import { type CodexLaunch, launchCodex } from './codex.ts'
import { whyNotInstalled } from './installed-harness.ts'
import { makeLabFolders } from './lab-folders.ts'

async function runCodex(script: readonly ScriptedTurn[], options: Partial<CodexLaunch> = {}) {
  const model = await startResponsesServer(script)
  onTestFinished(() => model.close())
  const folders = makeLabFolders()
  onTestFinished(() => folders.remove())
  const exit = await launchCodex({
    ...folders,
    prompt: 'Make the file.',
    modelUrl: model.url,
    ...options,
  })
  const toWorkspacePath = (name: string) => path.join(folders.workspace, name)
  return { exit, model, toWorkspacePath }
}

describe.skipIf(whyNotInstalled('first') !== null)('Codex in the lab', () => {
  test('has the free-form patch tool and the plan tool', async () => {
    const patch = '*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch\n'
    const plan = [{ step: 'Look', status: 'completed' }]
    const { model, toWorkspacePath } = await runCodex([
      { calls: [{ name: 'apply_patch', input: patch }] },
      { calls: [{ name: 'update_plan', input: { plan } }] },
    ])

    expect(fs.readFileSync(toWorkspacePath('new.txt'), 'utf8')).toBe('hello\n')
    expect(model.requests[2]).toContain('Plan updated')
  })

  test('skips hooks that no one has trusted', async () => {
    const hook = { type: 'command', command: 'cat > hook.log' }
    const shell = { name: 'exec_command', input: { cmd: 'touch made.txt' } }
    const { exit, toWorkspacePath } = await runCodex([{ calls: [shell] }], {
      hooks: { hooks: { PreToolUse: [{ matcher: null, hooks: [hook] }] } },
      trusted: false,
    })

    expect(exit.exitCode).toBe(0)
    expect(fs.existsSync(toWorkspacePath('made.txt'))).toBe(true)
    expect(fs.existsSync(toWorkspacePath('hook.log'))).toBe(false)
  })
})
