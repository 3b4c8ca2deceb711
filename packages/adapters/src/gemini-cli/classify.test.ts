import fc from 'fast-check'
import { expect, test } from 'vitest'
import { classifyGeminiResponse } from './classify.ts'

const shell = (...lines: readonly string[]) => ({
  llmContent: `<untrusted_context>\nOutput: ${lines.join('\n')}\nProcess Group PGID: 15359\n</untrusted_context>`,
  returnDisplay: '',
})

test.each([
  ['run_shell_command', shell('(empty)'), 'success'],
  ['run_shell_command', shell('hi', 'there'), 'success'],
  ['run_shell_command', shell('hi', 'Exit Code: 3'), 'failure'],
  ['run_shell_command', shell('(empty)', 'Exit Code: -1'), 'failure'],
  ['run_shell_command', shell('(empty)', 'Error: spawn failed'), 'failure'],
  ['run_shell_command', shell('(empty)', 'Signal: 9'), 'failure'],
  ['run_shell_command', shell('(empty)', 'Background PIDs: 7'), 'unknown'],
  ['run_shell_command', { llmContent: 'Command moved to background (PID: 7).' }, 'unknown'],
  ['run_shell_command', { llmContent: 'Output: hi' }, 'unknown'],
  ['run_shell_command', { llmContent: [{ text: 'hi' }] }, 'unknown'],
  ['run_shell_command', {}, 'unknown'],
  ['read_file', { llmContent: 'text' }, 'success'],
  ['read_file', { llmContent: 'x', error: { message: 'File not found', type: 'x' } }, 'failure'],
  ['replace', { llmContent: 'x', error: 'odd' }, 'failure'],
  ['write_file', {}, 'unknown'],
  ['mcp_lab_ok', { llmContent: [{ text: 'fine' }] }, 'success'],
  ['mcp_lab_bad', { llmContent: 'x', error: { message: 'broken' } }, 'failure'],
  ['web_fetch', { llmContent: 'page' }, 'unknown'],
  ['read_file', 'text', 'unknown'],
  ['read_file', undefined, 'unknown'],
] as const)(
  'a response of Gemini CLI for the tool %s, %j, is classified as %s',
  (tool, response, outcome) => {
    expect(classifyGeminiResponse(tool, response).outcome).toBe(outcome)
  },
)

test('a command that prints the failure text of Gemini CLI is classified as a failure', () => {
  const { outcome } = classifyGeminiResponse(
    'run_shell_command',
    shell('log:', 'Exit Code: 3', 'fine'),
  )
  expect(outcome).toBe('failure')
})

test('a failing command of Gemini CLI is classified as a failure for any output', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: 255 }), (printed, code) => {
      const response = shell(printed, `Exit Code: ${code}`)
      expect(classifyGeminiResponse('run_shell_command', response).outcome).toBe('failure')
    }),
  )
})

test('classifying a response of Gemini CLI never throws, for any response', () => {
  fc.assert(
    fc.property(fc.string(), fc.jsonValue(), (tool, response) => {
      // fast-check's JSON values are JSON values.
      void classifyGeminiResponse(tool, response as string)
    }),
  )
})
