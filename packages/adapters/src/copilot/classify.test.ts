import fc from 'fast-check'
import { expect, test } from 'vitest'
import { classifyCopilotResult } from './classify.ts'

const success = (textResultForLlm: string) => ({ resultType: 'success', textResultForLlm })

test.each([
  ['bash', success('\n<shellId: 0 completed with exit code 0>'), 'success'],
  ['bash', success('hi\n<shellId: 1 completed with exit code 3>'), 'failure'],
  ['bash', success('<shellId: 1 completed with exit code -1>'), 'failure'],
  ['bash', success('<command started in background with shellId: 4>'), 'unknown'],
  ['bash', success('<shellId: 0 completed with exit code 0>\nmore'), 'unknown'],
  ['bash', { resultType: 'success' }, 'unknown'],
  ['bash', { resultType: 'failure', textResultForLlm: 'x' }, 'failure'],
  ['write_bash', success('hi'), 'unknown'],
  ['view', success('text'), 'success'],
  ['view', { resultType: 'denied' }, 'denied'],
  ['view', { resultType: 'odd' }, 'unknown'],
  ['view', 'text', 'unknown'],
  ['view', undefined, 'unknown'],
] as const)(
  'a result of Copilot CLI for the tool %s, %j, is classified as %s',
  (tool, result, outcome) => {
    expect(classifyCopilotResult(tool, result).outcome).toBe(outcome)
  },
)

test('a failing command of Copilot CLI is classified as a failure for any output', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: 255 }), (printed, code) => {
      const text = `${printed}\n<shellId: 7 completed with exit code ${code}>`
      expect(classifyCopilotResult('bash', success(text)).outcome).toBe('failure')
    }),
  )
})

test('classifying a result of Copilot CLI never throws, for any result', () => {
  fc.assert(
    fc.property(fc.string(), fc.jsonValue(), (tool, result) => {
      // fast-check's JSON values are JSON values.
      void classifyCopilotResult(tool, result as string)
    }),
  )
})
