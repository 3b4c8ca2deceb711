import { expect, test } from 'vitest'
import { StopCap } from './stop-cap.ts'

const turn = { via: 'turn_end' } as const
const structured = { via: 'structured_output' } as const

test('a harness without a stop cap uses the limit of the config', () => {
  expect(new StopCap({ ...NONE }).asked(turn, 7)).toBeNull()
})

test('the stop cap counts consecutive blocks, and restarts after a tool call', () => {
  const cap = new StopCap({ ...NONE, maxBlocks: 2 })
  expect(cap.asked(turn, 0)).toBe(2)
  cap.blocked(turn)
  expect(cap.asked(turn, 1)).toBe(2)
  cap.blocked(turn)
  expect(cap.asked(turn, 2)).toBe(2)
  cap.called()
  expect(cap.asked(turn, 2)).toBe(4)
})

test('the stop cap counts the blocks of each agent separately', () => {
  const cap = new StopCap({ ...NONE, maxBlocks: 1 })
  cap.blocked({ via: 'subagent_end', agent: 'child' })
  expect(cap.asked({ via: 'subagent_end', agent: 'child' }, 1)).toBe(1)
  expect(cap.asked(turn, 1)).toBe(2)
  cap.called('other')
  expect(cap.asked({ via: 'subagent_end', agent: 'child' }, 1)).toBe(1)
})

test('the stop cap allows the last structured output, and tool calls do not restore attempts', () => {
  const cap = new StopCap({ ...NONE, structuredAttempts: 3 })
  expect(cap.asked(structured, 0)).toBe(2)
  cap.blocked(structured)
  cap.called()
  expect(cap.asked(structured, 1)).toBe(2)
  cap.blocked(structured)
  expect(cap.asked(structured, 2)).toBe(2)
})

test('the stop cap counts an allowed output that the harness then finds invalid', () => {
  const cap = new StopCap({ ...NONE, structuredAttempts: 3 })
  cap.asked(structured, 0)
  cap.asked(structured, 0)
  expect(cap.asked(structured, 0)).toBe(0)
})

test('the stop cap starts a new run with all attempts and no blocks', () => {
  const cap = new StopCap({ ...NONE, maxBlocks: 1, structuredAttempts: 2 })
  cap.blocked(turn)
  cap.asked(structured, 1)
  cap.runStarted()
  expect(cap.asked(turn, 1)).toBe(2)
  expect(cap.asked(structured, 1)).toBe(2)
})

const NONE = {
  denyReason: true,
  inject: 'message',
  blockStop: 'in_loop',
  maxBlocks: null,
  structured: 'none',
  structuredAttempts: null,
  failure: 'event',
  callIds: true,
  batch: 'serial',
  onGuardCrash: 'closed',
  onGuardTimeout: 'closed',
  approvalSeconds: null,
  replacesArguments: true,
  replacesResults: true,
  ungoverned: [],
} as const
