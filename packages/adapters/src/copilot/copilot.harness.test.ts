import fs from 'node:fs'
import path from 'node:path'
import type { ConfigDocument, JsonObject } from '@signalbox/core'
import {
  launchCopilot,
  type ModelScript,
  makeLabFolders,
  startChatServer,
  whyNotInstalled,
} from '@signalbox/testkit'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type HookLab, startHookLab } from '../test/hook-lab.ts'
import { copilot } from './copilot.ts'
import { copilotHooks } from './hooks-file.ts'

const CONFIG: ConfigDocument = {
  schema_version: 1,
  ns: 'copilot',
  key: 'lab',
  feedback_providers: [
    { id: 'hint', type: 'static', trigger: { every_n_calls: 1 }, feedback: 'Keep it short.' },
  ],
}

async function run(
  script: (workspace: string) => ModelScript,
  hooks: (command: string) => JsonObject = copilotHooks,
): Promise<{ readonly lab: HookLab; readonly told: string; readonly wrote: boolean }> {
  const folders = makeLabFolders()
  onTestFinished(() => folders.remove())
  const model = await startChatServer(script(folders.workspace))
  onTestFinished(() => model.close())
  const lab = await startHookLab(copilot, { config: CONFIG, version: '1.0.102' })
  onTestFinished(() => lab.close())
  await launchCopilot({
    ...folders,
    prompt: 'Do it.',
    modelUrl: model.url,
    hooks: { version: 1, hooks: hooks(lab.command) },
  })
  const told = model.requests.slice(1).join('\n')
  return { lab, told, wrote: fs.existsSync(path.join(folders.workspace, 'a.txt')) }
}

const bash = (command: string) => ({ name: 'bash', input: { command, description: command } })
const outcomes = ({ events }: HookLab) =>
  events.flatMap(({ type, data }) => (type === 'tool.invoked' ? [data.outcome] : []))

describe.skipIf(whyNotInstalled('second') !== null)('Copilot CLI, second tier', () => {
  test('feedback reaches the model after a failed tool as well', async () => {
    const { lab, told } = await run((workspace) => [
      { calls: [{ name: 'view', input: { path: path.join(workspace, 'none.txt') } }] },
    ])
    expect(outcomes(lab)).toEqual(['failure'])
    expect(told).toContain('Keep it short.')
  })

  test('calls of one step have separate outcomes, although they have no ids', async () => {
    const { lab } = await run(() => [{ calls: [bash('exit 3'), bash('true')] }])
    expect(outcomes(lab).toSorted()).toEqual(['failure', 'success'])
  })

  test('calls of a sub-agent are evaluated in the session that it works for', async () => {
    const task = {
      name: 'task',
      input: {
        description: 'Make it',
        prompt: 'Make it.',
        agent_type: 'general-purpose',
        name: 'kid',
        mode: 'sync',
      },
    }
    const { lab } = await run(() => [{ calls: [task] }, { calls: [bash('true')] }])
    expect(lab.events.filter(({ type }) => type === 'session.started')).toHaveLength(1)
    const asked = lab.events.flatMap(({ type, data }) => (type === 'tool.requested' ? [data] : []))
    expect(asked.map(({ tool, agent }) => [tool, agent !== undefined])).toEqual([
      ['task', false],
      ['shell', true],
    ])
    expect(outcomes(lab)).toEqual(['success', 'success'])
  })

  test('a hook with a missing command denies, and the model reads why', async () => {
    const { preToolUse = null } = copilotHooks('/nowhere/shim copilot')
    const { told, wrote } = await run(
      (workspace) => [
        {
          calls: [
            { name: 'create', input: { path: path.join(workspace, 'a.txt'), file_text: 'x' } },
          ],
        },
      ],
      () => ({ preToolUse }),
    )
    expect(wrote).toBe(false)
    expect(told).toContain('The guardrails could not be reached, so this is refused.')
  })
})
