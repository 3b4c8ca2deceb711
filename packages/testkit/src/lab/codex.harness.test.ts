// Proof that the real Codex runs offline against the scripted server, and that its hooks are trusted as a user would trust them.
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startResponsesServer } from '../model-servers/responses-server.ts'
import type { ScriptedTurn } from '../model-servers/script.ts'
import { type CodexLaunch, launchCodex } from './codex.ts'
import { whyNotInstalled } from './installed-harness.ts'
import { makeLabFolders } from './lab-folders.ts'
import { jsonLines } from './launch.ts'

const SHELL: ScriptedTurn = {
  calls: [{ name: 'exec_command', input: { cmd: 'echo from-$((40 + 2)) | tee made.txt' } }],
}

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
  const fileOf = (name: string) => path.join(folders.workspace, name)
  return { exit, model, fileOf }
}

describe.skipIf(whyNotInstalled('first') !== null)('Codex in the lab', () => {
  test('runs the calls of the script and shows their results to the model', async () => {
    const { exit, model, fileOf } = await runCodex([SHELL, { say: 'All done.' }])

    expect(exit).toMatchObject({ exitCode: 0, timedOut: false, stderr: '' })
    expect(fs.readFileSync(fileOf('made.txt'), 'utf8')).toBe('from-42\n')
    expect(model.requests).toHaveLength(2)
    expect(model.requests[0]).toContain('Make the file.')
    expect(model.requests[0]).not.toContain('from-42')
    expect(model.requests[1]).toContain('from-42')
    const items = jsonLines(exit.stdout).flatMap(({ item }) => item ?? [])
    expect(items.at(-1)).toMatchObject({ type: 'agent_message', text: 'All done.' })
    expect(model.unknown).toEqual([])
  })

  test('has the free-form patch tool and the plan tool', async () => {
    const patch = '*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch\n'
    const plan = [{ step: 'Look', status: 'completed' }]
    const { model, fileOf } = await runCodex([
      { calls: [{ name: 'apply_patch', input: patch }] },
      { calls: [{ name: 'update_plan', input: { plan } }] },
    ])

    expect(fs.readFileSync(fileOf('new.txt'), 'utf8')).toBe('hello\n')
    expect(model.requests[2]).toContain('Plan updated')
  })

  test.each([
    ['asks hooks that are trusted', true, ['PreToolUse']],
    ['skips hooks that are not', false, []],
  ])('%s', async (_, trusted, asked) => {
    const hook = { type: 'command', command: 'cat >> hook.log' }
    const { exit, fileOf } = await runCodex([SHELL], {
      hooks: { hooks: { PreToolUse: [{ matcher: null, hooks: [hook] }] } },
      trusted,
    })

    expect(exit.exitCode).toBe(0)
    const log = fileOf('hook.log')
    const events = jsonLines(fs.existsSync(log) ? fs.readFileSync(log, 'utf8') : '')
    expect(events.map((event) => event['hook_event_name'])).toEqual(asked)
  })
})
