import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { SessionEvent } from '@signalbox/core'
import { createGuardrails, type Guardrails } from '@signalbox/runtime'
import { parseConfigText } from '@signalbox/wire'
import { expect, onTestFinished, test } from 'vitest'
import { runSession } from './run-session.ts'

const TEXT = fs.readFileSync(path.join(import.meta.dirname, '../config.json'), 'utf8')
const QUICK = 40

function guarded(text: string): { guardrails: Guardrails; lines: string[] } {
  const parsed = parseConfigText(text)
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message)
  const lines: string[] = []
  const onEvent = (line: string) => void lines.push(line)
  return { guardrails: createGuardrails({ config: parsed.document, onEvent }), lines }
}

const parseDemoEvents = (lines: readonly string[]): SessionEvent[] =>
  lines.map((line) => JSON.parse(line))

/** `tool:decision` and `stop:verdict` in order. */
function story(events: readonly SessionEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.type === 'tool.decided') return [`${event.data.tool}:${event.data.decision}`]
    return event.type === 'stop.decided' ? [`stop:${event.data.verdict}`] : []
  })
}

test('the demo agent is denied, corrects itself, is blocked at its first stop, finishes and may stop', async () => {
  const { guardrails, lines } = guarded(TEXT)
  expect(await runSession(guardrails, QUICK)).toMatch(/written, tested and published\.$/)
  const told = story(parseDemoEvents(lines)).filter((entry) => !/^(read|list|update)/.test(entry))
  expect(told).toEqual([
    'write_file:denied',
    'write_file:allowed',
    'stop:blocked',
    'publish_notes:denied',
    'run_tests:allowed',
    'publish_notes:allowed',
    'stop:allowed',
    'stop:allowed',
  ])
  const feedback = parseDemoEvents(lines).filter((event) => event.type === 'feedback.delivered')
  expect(feedback.map(({ data }) => data.provider)).toContain('house-rules')
  expect(lines.join('\n')).toContain('"publish_key":{"$redacted":"publish-key"}')
  expect(lines.join('\n')).not.toContain('pk-demo-0000')
}, 30_000)

test('the demo agent publishes nothing under a stricter config and reports that', async () => {
  const stricter = JSON.parse(TEXT)
  stricter.sections[1].tools.push('approve_release')
  stricter.policies[0].dependencies.publish_notes.push('approve_release')
  const { guardrails, lines } = guarded(JSON.stringify(stricter))
  expect(await runSession(guardrails, QUICK)).toContain('I could not publish the release notes')
  expect(story(parseDemoEvents(lines))).not.toContain('publish_notes:allowed')
  expect(story(parseDemoEvents(lines))).toContain('stop:bypassed')
}, 30_000)

test('the demo agent ends with one sentence when every call is denied', async () => {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-demo-'))
  onTestFinished(() => fs.rmSync(dataDir, { recursive: true }))
  const down = createGuardrails({
    url: 'http://127.0.0.1:9',
    apiKey: `sbx_00000000_${'x'.repeat(43)}`,
    prompt: 'demo/release-notes',
    dataDir,
  })
  const text = await runSession(down, QUICK)
  await down.close(0)
  expect(text).toMatch(/every tool call was denied\.$/)
}, 30_000)
