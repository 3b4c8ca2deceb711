import fs from 'node:fs'
import path from 'node:path'
import type { ConfigDocument, JsonObject } from '@signalbox/core'
import {
  launchGemini,
  type ModelScript,
  makeLabFolders,
  startGeminiServer,
  whyNotInstalled,
} from '@signalbox/testkit'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type HookLab, startHookLab } from '../test/hook-lab.ts'
import { geminiCli } from './gemini-cli.ts'
import { geminiCliHooks } from './hooks-file.ts'

const CONFIG: ConfigDocument = {
  schema_version: 1,
  ns: 'gemini',
  key: 'lab',
  policies: [
    { id: 'order', type: 'sequential_dependency', dependencies: { write_file: ['shell'] } },
  ],
  feedback_providers: [
    { id: 'hint', type: 'static', trigger: { every_n_calls: 1 }, feedback: 'Keep <b> & go on.' },
  ],
}

async function run(
  script: ModelScript,
  hooks: (command: string) => JsonObject = geminiCliHooks,
): Promise<{ readonly lab: HookLab; readonly told: string; readonly wrote: boolean }> {
  const folders = makeLabFolders()
  onTestFinished(() => folders.remove())
  const model = await startGeminiServer(script)
  onTestFinished(() => model.close())
  const lab = await startHookLab(geminiCli, { config: CONFIG, version: '0.61.0' })
  onTestFinished(() => lab.close())
  const settings = { hooks: hooks(lab.command) }
  await launchGemini({ ...folders, prompt: 'Do it.', modelUrl: model.url, settings })
  const told = model.requests.slice(1).join('\n')
  return { lab, told, wrote: fs.existsSync(path.join(folders.workspace, 'a.txt')) }
}

const write = { name: 'write_file', input: { file_path: 'a.txt', content: 'x\n' } }
const shell = (command: string) => ({ name: 'run_shell_command', input: { command } })
const outcomes = ({ events }: HookLab) =>
  events.flatMap(({ type, data }) => (type === 'tool.invoked' ? [data.outcome] : []))

describe.skipIf(whyNotInstalled('second') !== null)('Gemini CLI, second tier', () => {
  test("feedback reaches the model without tags, even together with a tool's error", async () => {
    const read = { name: 'read_file', input: { file_path: 'none.txt' } }
    const { told, lab } = await run([{ calls: [read] }])
    expect(outcomes(lab)).toEqual(['failure'])
    expect(told).toMatch(/File not found: \S+none\.txt\s+\[Static\] Keep <b> & go on\./)
    expect(told).not.toContain('feedback provider')
  })

  test('calls of one step have separate outcomes, although they have no ids', async () => {
    const { lab } = await run([{ calls: [shell('exit 3'), shell('true')] }])
    expect(outcomes(lab).toSorted()).toEqual(['failure', 'success'])
  })

  test('calls of a sub-agent are evaluated in the session that it works for', async () => {
    const agent = { agent_name: 'generalist', prompt: 'Make it.' }
    const { lab, wrote } = await run(({ index, text }) => {
      if (index === 0) return { calls: [{ name: 'invoke_agent', input: agent }] }
      if (index === 1) return { calls: [write] }
      const done = { name: 'complete_task', input: { result: 'No.' } }
      return text.includes('Make it.') && index === 2 ? { calls: [done] } : { say: 'Done.' }
    })
    expect(wrote).toBe(false)
    expect(outcomes(lab)).toContain('denied')
    expect(lab.events.filter(({ type }) => type === 'session.started')).toHaveLength(1)
  })

  test('a stop that cannot be evaluated is refused once, and the next one is allowed', async () => {
    const { AfterAgent = null } = geminiCliHooks('/nowhere/shim gemini-cli')
    const script = [{ say: 'One.' }, { say: 'Two.' }, { say: 'Three.' }]
    const { told } = await run(script, () => ({ AfterAgent }))
    expect(told).toContain('One.')
    expect(told).toContain('The guardrails could not be reached, so this is refused.')
    expect(told).not.toContain('Two.')
  })

  test('a hook with a missing command denies, and the model reads why', async () => {
    const { BeforeTool = null } = geminiCliHooks('/nowhere/shim gemini-cli')
    const { told, wrote } = await run([{ calls: [write] }], () => ({ BeforeTool }))
    expect(wrote).toBe(false)
    expect(told).toContain('The guardrails could not be reached, so this is refused.')
  })
})
