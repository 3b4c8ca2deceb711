import { celExpressions } from '@signalbox/core/expression'
import { fakeClock, STORY_CONFIG, Story } from '@signalbox/testkit'
import { expect, test } from 'vitest'
import { createGuardrails } from './guardrails.ts'

interface Line {
  readonly type: string
  readonly at: number
  readonly data: { readonly [field: string]: unknown }
}

async function told(seed: number, events: number): Promise<readonly Line[]> {
  const lines: Line[] = []
  const clock = fakeClock()
  const story = new Story({ seed, clock })
  const guardrails = createGuardrails({
    config: STORY_CONFIG,
    expressions: celExpressions(),
    now: clock.now,
    onEvent: (line) => lines.push(JSON.parse(line)),
  })
  const session = guardrails.openSession({ files: story.files, workspaceRoot: '/shop' })
  await story.tell(session, events)
  await guardrails.close()
  return lines
}

const facts = (lines: readonly Line[]) => lines.map(({ type, at, data }) => ({ type, at, data }))

test('the story generator gives the same events for the same seed, and others for another seed', async () => {
  const once = facts(await told(1, 300))
  expect(facts(await told(1, 300))).toEqual(once)
  expect(facts(await told(2, 300))).not.toEqual(once)
})

test('a story of 6,000 events has denials of many kinds, feedback of every provider and various blocked stops', async () => {
  const lines = await told(3, 6_000)
  expect(lines.length).toBeGreaterThanOrEqual(6_000)
  const of = (type: string) => lines.filter((line) => line.type === type).map(({ data }) => data)
  const providers = new Set(of('feedback.delivered').map((data) => data['provider']))
  expect([...providers].sort()).toEqual(['changelog', 'failing', 'progress'])
  const denied = of('tool.decided').filter((data) => data['decision'] === 'denied')
  expect(new Set(denied.map((data) => data['reason'])).size).toBeGreaterThan(4)
  const blocked = of('stop.decided').filter((data) => data['verdict'] === 'blocked')
  expect(new Set(blocked.map((data) => data['code'])).size).toBeGreaterThanOrEqual(4)
  expect(of('stop.decided').some((data) => data['verdict'] === 'allowed')).toBe(true)
})
