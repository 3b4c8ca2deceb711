// Runs one story: a real AI SDK agent loop on a scripted model, under the published guardrails, in a scratch workspace that is removed
// afterwards.
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { guardGeneration, planTool } from '@signalbox/adapters/ai-sdk'
import type { Guardrails } from '@signalbox/runtime'
import { generateText, stepCountIs } from 'ai'
import { scriptedModel } from './model.ts'
import type { Story } from './script/story.ts'
import { STORIES, type StoryName } from './stories/all.ts'
import { makeWorkspace } from './workspace.ts'

const THINK_MS = 1_000
const DEADLINE_MS = 3 * 60_000
const MAX_STEPS = 40

export interface Run {
  readonly story: StoryName
  /** 2 is twice as fast. */
  readonly speed: number
  /** Id that `newDemoSessionId` made. Absent: a session like any other, which figures count. */
  readonly session?: string
}

/** Never rejects once the session is open; returns one sentence about the result. */
export async function runSession(
  guardrails: Guardrails,
  { story: name, speed, session: demo }: Run,
): Promise<string> {
  const story: Story = STORIES[name]
  const workspace = await makeWorkspace(story.files)
  const session = guardrails.openSession({
    workspaceRoot: workspace.root,
    deadlineAt: Date.now() + DEADLINE_MS,
    budget: { max_total_tokens: 200_000 },
    tags: { agent: 'demo' },
    channel: 'message',
    ...(demo === undefined ? {} : { demo }),
  })
  const { appears } = story
  const appear = setTimeout(
    () => {
      if (appears === undefined) return
      writeFile(path.join(workspace.root, appears.file), appears.content).catch(() => undefined)
    },
    (appears?.afterMs ?? 0) / speed,
  )
  try {
    const tools = {
      ...story.tools(workspace.root),
      ...(story.isPlanned ? { update_plan: planTool(session) } : {}),
    }
    const result = await generateText({
      model: scriptedModel(story.nextMove, THINK_MS / speed),
      prompt: story.task,
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
