import fc from 'fast-check'
import { expect, test } from 'vitest'
import { classifyCodexResponse } from './classify.ts'

test.each([
  ['Bash', 'hi\n', 'unknown'],
  ['Bash', '', 'unknown'],
  ['Bash', 'Exit code: 0\n', 'unknown'],
  [
    'apply_patch',
    'Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\nA a.txt\n',
    'success',
  ],
  ['apply_patch', 'Exit code: 1\nWall time: 0 seconds\nOutput:\nNo.', 'failure'],
  ['apply_patch', 'Success.', 'unknown'],
  ['apply_patch', 'x\nExit code: 0\n', 'unknown'],
  ['update_plan', 'Plan updated', 'success'],
  ['update_plan', 'Plan updated, perhaps', 'unknown'],
  ['mcp__lab__ok', { content: [{ type: 'text', text: 'fine' }] }, 'success'],
  ['mcp__lab__bad', { content: [], isError: true }, 'failure'],
  ['mcp__lab__odd', 'text', 'unknown'],
  ['get_goal', { goal: null }, 'unknown'],
  ['view_image', undefined, 'unknown'],
] as const)(
  'a response of Codex for the tool %s, %j, is classified as %s',
  (tool, response, outcome) => {
    expect(classifyCodexResponse(tool, response)).toBe(outcome)
  },
)

test('any response of Codex for a command is classified as unknown', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (response) => {
      // fast-check's JSON values are JSON values.
      expect(classifyCodexResponse('Bash', response as string)).toBe('unknown')
    }),
  )
})

test('classifying a response of Codex never throws and gives a known outcome, for any response', () => {
  fc.assert(
    fc.property(fc.string(), fc.jsonValue(), (tool, response) => {
      expect(['success', 'failure', 'unknown']).toContain(
        classifyCodexResponse(tool, response as string),
      )
    }),
  )
})
