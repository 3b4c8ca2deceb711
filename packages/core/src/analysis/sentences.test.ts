import { expect, test } from 'vitest'
import type { ToolDecision } from '../model/effect.ts'
import { checkSentence, decisionSentence, stopSentence } from './sentences.ts'

const base: ToolDecision = {
  call_id: 'c',
  tool: 'deploy',
  decision: 'allowed',
  reason: null,
  rules: [],
}

test('decisionSentence describes a call denied without a rule as denied', () => {
  const reason = 'No guardrail config is in force yet, so every tool call is denied.'
  expect(decisionSentence({ ...base, decision: 'error', reason })).toBe(reason)
  expect(decisionSentence({ ...base, decision: 'error' })).toBe('Denied')
  expect(decisionSentence(base)).toBe('Allowed')
})

test.each([
  [['a.md'], 'a.md exists'],
  [['a.md', 'b.md'], 'a.md, b.md exist'],
])('checkSentence describes existing files: %j', (files, sentence) => {
  expect(checkSentence({ code: 'files.all_exist', params: { files } })).toBe(sentence)
})

test.each(['stop.no_config', 'stop.not_decided', 'stop.undecided_often'])(
  'stopSentence has a sentence for %s',
  (code) => {
    expect(stopSentence({ code, params: {} })).not.toBe(code)
  },
)

test.each([
  ['stop.max_blocks', 1, 'Allowed although incomplete: 1 stop was blocked before'],
  ['stop.max_blocks', 1_000, 'Allowed although incomplete: 1,000 stops were blocked before'],
  [
    'stop.undecided_often',
    1,
    'Allowed although nothing could be checked: 1 previous stop could not be decided either',
  ],
])('stopSentence counts the stops of %s with a limit of %i', (code, limit, sentence) => {
  expect(stopSentence({ code, params: { limit } })).toBe(sentence)
})
