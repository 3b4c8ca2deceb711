// A transcript shows what an agent asks and what it is answered. Each one runs against the config above it, in the runtime.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { celExpressions } from '@signalbox/core/expression'
import { createGuardrails } from '@signalbox/runtime'
import { parseConfigText } from '@signalbox/wire'

/** A file of the workspace that is there from now on. */
const FILE = /^# (\S+) exists\.$/
const LATER = /^# (\d+) seconds later\.$/
const REVIEWER = /^# A reviewer (approves|denies) it\.$/
const PLAN = /^# The plan: (.+)\.$/
const CALL = /^([a-z_]+) (\{.*\})$/

const expressions = celExpressions()

/** The transcript with the answers that the runtime gives. */
export async function replayTranscript(config: string, transcript: string): Promise<string> {
  const workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-transcript-'))
  let now = Date.now()
  let decision: 'approved' | 'denied' = 'denied'
  const parsed = parseConfigText(config)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  const guardrails = createGuardrails({
    config: parsed.document,
    expressions,
    now: () => now,
    approvals: { decide: async () => ({ decision }) },
  })
  const session = guardrails.openSession({ workspaceRoot: workspace, plainFeedback: true })

  async function call(tool: string, args: string, expected: string): Promise<readonly string[]> {
    const asked = { tool, args: JSON.parse(args) }
    const verdict = await session.beforeToolCall(asked)
    const said = (feedback: string | null) => (feedback === null ? [] : feedback.split('\n'))
    if (!verdict.allowed) return [`Denied. ${verdict.reason}`, ...said(verdict.feedback)]
    const isFailure = expected.startsWith('Allowed, and fails.')
    const { feedback } = await session.afterToolCall({
      ...asked,
      callId: verdict.callId,
      outcome: isFailure ? 'failure' : 'success',
      output: '',
    })
    return [isFailure ? 'Allowed, and fails.' : 'Allowed.', ...said(feedback)]
  }

  async function stop(): Promise<readonly string[]> {
    const { allowed, message, decision } = await session.beforeStop({ via: 'turn_end' })
    const how = decision.verdict === 'allowed' ? '' : ` (${decision.verdict})`
    return [allowed ? `Allowed${how}.` : `Blocked. ${message}`]
  }

  async function prepare(line: string): Promise<void> {
    const file = FILE.exec(line)?.[1]
    if (file !== undefined) {
      fs.mkdirSync(path.dirname(path.join(workspace, file)), { recursive: true })
      fs.writeFileSync(path.join(workspace, file), line)
    }
    now += 1000 * Number(LATER.exec(line)?.[1] ?? 0)
    decision = REVIEWER.exec(line)?.[1] === 'approves' ? 'approved' : 'denied'
    const steps = PLAN.exec(line)?.[1]?.split('; ')
    if (steps !== undefined)
      await session.updatePlan(
        steps.map((step) => {
          const [title = '', status = 'open'] = step.split(': ')
          return { title, status }
        }),
      )
  }

  const lines = transcript.trimEnd().split('\n')
  /** The line as it is, and what follows it. */
  async function play(line: string, next: string): Promise<readonly string[]> {
    if (line === '') return [line]
    if (line.startsWith('#')) {
      await prepare(line)
      return [line]
    }
    const [, tool = '', args = ''] = CALL.exec(line) ?? []
    if (tool === '' && line !== 'stop') throw new Error(`A transcript cannot contain: ${line}`)
    const answer = line === 'stop' ? await stop() : await call(tool, args, next.trim())
    return [line, ...answer.filter(Boolean).map((text) => `    ${text}`)]
  }

  const shown: string[] = []
  for (const [at, line] of lines.entries())
    if (!line.startsWith(' ')) shown.push(...(await play(line, lines[at + 1] ?? '')))
  await session.end({ reason: 'aborted' })
  fs.rmSync(workspace, { recursive: true })
  return `${shown.join('\n')}\n`
}
