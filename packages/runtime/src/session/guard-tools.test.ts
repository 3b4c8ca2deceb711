import { RULES } from '@signalbox/testkit'
import { expect, test } from 'vitest'
import { guardTools, type ToolFunctions } from './guard-tools.ts'
import { createGuardrails } from './guardrails.ts'

function workbench(tools: ToolFunctions) {
  const lines: string[] = []
  const guardrails = createGuardrails({
    config: RULES,
    onEvent: (line) => void lines.push(line),
  })
  const events = (type: string): Record<string, unknown>[] =>
    lines
      .map((line): { type: string; data: Record<string, unknown> } => JSON.parse(line))
      .filter((event) => event.type === type)
      .map(({ data }) => data)
  return { run: guardTools(tools, guardrails.openSession()), events }
}

const TOOLS: ToolFunctions = {
  test: () => ({ passed: 3 }),
  deploy: () => 'deployed',
  broken: () => {
    throw new Error('it broke')
  },
  endless: () => {
    const ring: { self?: object } = {}
    ring.self = ring
    return ring
  },
  quiet: () => undefined,
}

test('the calls of one step of a bare loop are evaluated before any of them runs', async () => {
  const { run } = workbench(TOOLS)
  const step = ['test', 'deploy'].map((name) => ({ name, args: {} }))
  expect(await run(step)).toEqual([
    { name: 'test', outcome: 'success', text: expect.stringContaining('{"passed":3}') },
    { name: 'deploy', outcome: 'denied', text: expect.stringContaining("'deploy' requires: test") },
  ])
  expect(await run([{ id: 'c1', name: 'deploy', args: {} }])).toMatchObject([
    { id: 'c1', outcome: 'success', text: expect.stringMatching(/^deployed/) },
  ])
})

test('the answer of a call in a bare loop ends with the feedback', async () => {
  const { run } = workbench(TOOLS)
  const [first] = await run([{ name: 'test', args: {} }])
  const [second] = await run([{ name: 'quiet', args: {} }])
  expect(first?.text).toBe('{"passed":3}')
  expect(second?.text).toContain('Keep it')
})

test.each([
  { name: 'broken', outcome: 'failure', text: 'it broke' },
  { name: 'endless', outcome: 'failure', text: 'circular' },
  { name: 'missing', outcome: 'invalid', text: "no tool 'missing'" },
  { name: 'toString', outcome: 'invalid', text: "no tool 'toString'" },
])('a call of $name in a bare loop is recorded as $outcome', async ({ name, outcome, text }) => {
  const { run, events } = workbench(TOOLS)
  const [answer] = await run([{ name, args: {} }])
  expect(answer).toMatchObject({ outcome, text: expect.stringContaining(text) })
  expect(events('tool.invoked')).toMatchObject([{ tool: name, outcome }])
})
