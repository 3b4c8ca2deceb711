// Runs one session of the demo agent: a real AI SDK agent loop on a scripted model, under the published guardrails, in a scratch workspace
// that is removed afterwards.
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { guardGeneration, planTool } from '@signalbox/adapters/ai-sdk'
import type { Guardrails } from '@signalbox/runtime'
import { generateText, stepCountIs } from 'ai'
import { scriptedModel } from './model.ts'
import { workspaceTools } from './tools.ts'
import { HOUSE_RULES, makeWorkspace } from './workspace.ts'

const THINK_MS = 850
const RULES_APPEAR_MS = 3000
const DEADLINE_MS = 3 * 60_000
const MAX_STEPS = 40

/** `speed` 2 is twice as fast. Never rejects; returns one sentence about the result. */
export async function runSession(guardrails: Guardrails, speed: number): Promise<string> {
  const workspace = await makeWorkspace()
  const session = guardrails.openSession({
    workspaceRoot: workspace.root,
    deadlineAt: Date.now() + DEADLINE_MS,
    budget: { max_total_tokens: 200_000 },
    tags: { agent: 'demo' },
    channel: 'message',
  })
  const rules = path.join(workspace.root, 'AGENTS.md')
  const appear = setTimeout(() => {
    writeFile(rules, HOUSE_RULES).catch(() => undefined)
  }, RULES_APPEAR_MS / speed)
  try {
    const tools = { ...workspaceTools(workspace.root), update_plan: planTool(session) }
    const result = await generateText({
      model: scriptedModel(THINK_MS / speed),
      prompt: 'Write and publish the release notes of version 1.5.0 from CHANGES.md.',
      stopWhen: stepCountIs(MAX_STEPS),
      ...guardGeneration(session, tools),
    })
    await session.end({ reason: 'completed', output: result.text })
    return `Session ${session.id}: ${result.text}`
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    await session.end({ reason: 'failed', error: text })
    return `Session ${session.id} failed: ${text}`
  } finally {
    clearTimeout(appear)
    await workspace.remove()
  }
}
