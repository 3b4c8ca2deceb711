import { describe, expect, test } from 'vitest'
import { runEnd } from './run-end.ts'

describe('the end of a query', () => {
  test('is completed with the structured output if there is one, else with the text', () => {
    const success = { type: 'result', subtype: 'success', is_error: false, result: 'Done.' }
    expect(runEnd(success)).toEqual({ reason: 'completed', output: 'Done.' })
    expect(runEnd({ ...success, structured_output: { n: 1 } })).toEqual({
      reason: 'completed',
      output: { n: 1 },
    })
  })

  test.each([
    [
      { subtype: 'error_max_turns', is_error: true, errors: ['Reached the maximum of 3 turns'] },
      'error_max_turns: Reached the maximum of 3 turns',
    ],
    [{ subtype: 'error_max_structured_output_retries' }, 'error_max_structured_output_retries'],
    // An error of the provider is a success in name.
    [{ subtype: 'success', is_error: true, result: 'API Error: 500' }, 'API Error: 500'],
  ])('is failed after a limit or an error: %j', (fields, error) => {
    expect(runEnd({ type: 'result', ...fields })).toEqual({ reason: 'failed', error })
  })

  test('is reported by result messages only', () => {
    expect(runEnd({ type: 'assistant', message: {} })).toBeNull()
    expect(runEnd(undefined)).toBeNull()
  })
})
