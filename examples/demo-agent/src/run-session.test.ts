import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { SessionEvent } from '@signalbox/core'
import { celExpressions } from '@signalbox/core/expression'
import { createGuardrails, type Guardrails } from '@signalbox/runtime'
import { newDemoSessionId, parseConfigText } from '@signalbox/wire'
import { expect, onTestFinished, test } from 'vitest'
import { runSession } from './run-session.ts'
import type { StoryName } from './stories/all.ts'

const readConfig = (story: StoryName): string =>
  fs.readFileSync(path.join(import.meta.dirname, `../configs/${story}.json`), 'utf8')
const TEXT = readConfig('release-notes')
const QUICK = 40

function guarded(text: string): { guardrails: Guardrails; lines: string[] } {
  const parsed = parseConfigText(text)
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message)
  const lines: string[] = []
  const onEvent = (line: string) => void lines.push(line)
  return {
    guardrails: createGuardrails({
      config: parsed.document,
      expressions: celExpressions(),
      onEvent,
    }),
    lines,
  }
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
  expect(await runSession(guardrails, { story: 'release-notes', speed: QUICK })).toMatch(
    /written, tested and published\.$/,
  )
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

test('the coding agent reads before it edits, is refused a file with secrets, and commits only after its tests pass', async () => {
  const { guardrails, lines } = guarded(readConfig('coding-agent'))
  expect(await runSession(guardrails, { story: 'coding-agent', speed: QUICK })).toMatch(
    /fixed, tested and committed\.$/,
  )
  const told = story(parseDemoEvents(lines)).filter((entry) => !entry.startsWith('update'))
  expect(told).toEqual([
    'edit_file:denied',
    'read_file:allowed',
    'edit_file:allowed',
    'stop:blocked',
    'commit:denied',
    'run_tests:allowed',
    'read_file:denied',
    'edit_file:allowed',
    'run_tests:allowed',
    'commit:allowed',
    'stop:allowed',
    'stop:allowed',
  ])
  expect(lines.join('\n')).toContain('"error":"not ok 2 - rounds to cents')
  expect(lines.join('\n')).not.toContain('pk-demo-0000')
}, 30_000)

test('the support agent never sees a card number, promises and pays nothing on its own, and answers before it stops', async () => {
  const { guardrails, lines } = guarded(readConfig('support-triage'))
  const session = newDemoSessionId({ now: 0, random: new Uint8Array(16) })
  const told = await runSession(guardrails, { story: 'support-triage', speed: QUICK, session })
  expect(told).toBe(
    `Session ${session}: The duplicate charge is refunded, and the customer knows it.`,
  )
  expect(story(parseDemoEvents(lines))).toEqual([
    'read_ticket:allowed',
    'reply:denied',
    'search_articles:allowed',
    'reply:denied',
    'refund:denied',
    'lookup_customer:allowed',
    'refund:error',
    'refund:allowed',
    'stop:blocked',
    'reply:allowed',
    'stop:allowed',
    'stop:allowed',
  ])
  expect(lines.join('\n')).not.toContain('4111 1111')
  expect(lines.join('\n')).toContain('[pii]')
}, 30_000)

test('the demo agent publishes nothing under a stricter config and reports that', async () => {
  const stricter = JSON.parse(TEXT)
  stricter.sections[1].tools.push('approve_release')
  stricter.policies[0].dependencies.publish_notes.push('approve_release')
  const { guardrails, lines } = guarded(JSON.stringify(stricter))
  expect(await runSession(guardrails, { story: 'release-notes', speed: QUICK })).toContain(
    'I could not publish the release notes',
  )
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
  const text = await runSession(down, { story: 'release-notes', speed: QUICK })
  await down.close(0)
  expect(text).toMatch(/every tool call was denied\.$/)
}, 30_000)
