// The demo agent: a real AI SDK agent loop on a scripted model, under the published guardrails, in a scratch workspace.
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { createGuardrails, type Guardrails } from '@signalbox/runtime'
import { guardGeneration, planTool } from '@signalbox/runtime/ai-sdk'
import { generateText, stepCountIs } from 'ai'
import { scriptedModel } from './model.ts'
import { workspaceTools } from './tools.ts'
import { HOUSE_RULES, makeWorkspace } from './workspace.ts'

const THINK_MS = 850
const RULES_APPEAR_MS = 3000
const DEADLINE_MS = 3 * 60_000
const MAX_STEPS = 40

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

function settings() {
  const { values } = parseArgs({
    options: {
      url: { type: 'string', default: process.env['SIGNALBOX_URL'] ?? 'http://127.0.0.1:3000' },
      'api-key': { type: 'string', default: process.env['SIGNALBOX_DEMO_KEY'] ?? '' },
      'data-dir': { type: 'string' },
      sessions: { type: 'string', default: '1' },
      speed: { type: 'string', default: '1' },
    },
  })
  return { ...values, sessions: Number(values.sessions), speed: Number(values.speed) || 1 }
}

async function runSession(guardrails: Guardrails, speed: number): Promise<void> {
  const workspace = await makeWorkspace()
  const session = guardrails.openSession({
    workspaceRoot: workspace.root,
    deadlineAt: Date.now() + DEADLINE_MS,
    budget: { max_total_tokens: 200_000 },
    tags: { agent: 'demo' },
    channel: 'message',
  })
  const appear = setTimeout(
    () => void writeFile(path.join(workspace.root, 'AGENTS.md'), HOUSE_RULES),
    RULES_APPEAR_MS / speed,
  )
  try {
    const tools = { ...workspaceTools(workspace.root), update_plan: planTool(session) }
    const result = await generateText({
      model: scriptedModel(THINK_MS / speed),
      prompt: 'Write and publish the release notes of version 1.5.0 from CHANGES.md.',
      stopWhen: stepCountIs(MAX_STEPS),
      ...guardGeneration(session, tools),
    })
    await session.end({ reason: 'completed', output: result.text })
    say(`Session ${session.id}: ${result.text}`)
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    await session.end({ reason: 'failed', error: text })
    say(`Session ${session.id} failed: ${text}`)
  } finally {
    clearTimeout(appear)
    await workspace.remove()
  }
}

async function main(): Promise<number> {
  const { url, 'api-key': apiKey, 'data-dir': dataDir, sessions, speed } = settings()
  if (apiKey === '') {
    say('The demo agent needs an API key. Start Signalbox with "npm start", or give --api-key.')
    return 2
  }
  const guardrails = createGuardrails({
    url,
    apiKey,
    prompt: 'demo/release-notes',
    name: 'demo-agent',
    harness: { name: 'ai-sdk', version: '7' },
    onDiagnostic: (diagnostic) => {
      if (diagnostic.level === 'error') say(`${diagnostic.code}: ${diagnostic.message}`)
    },
    ...(dataDir === undefined ? {} : { dataDir }),
  })
  await guardrails.ready()
  for (let i = 0; i < sessions; i++) await runSession(guardrails, speed)
  await guardrails.close()
  return 0
}

process.exitCode = await main()
