import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { refusingCommand, refusingStopCommand } from './refusing-command.ts'

function run(command: string, input = '{}') {
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', command], { input })
  return { status, stdout: stdout.toString(), stderr: stderr.toString() }
}

const ACTIVE = '{"stop_hook_active":true,"last_assistant_message":"x"}'
/** The agent cannot imitate the flag in its text, because JSON escapes the quotes. */
const SAID = JSON.stringify({ stop_hook_active: false, said: '"stop_hook_active":true' })

describe.each([
  ['before a call', refusingCommand],
  ['before a stop', refusingStopCommand],
])('the refusing command %s', (_, refusing) => {
  test('passes the answer of the guard to the harness', () => {
    const input = '{"a":"b  c\\n$HOME"}'
    expect(run(refusing('cat'), input)).toEqual({ status: 0, stdout: input, stderr: '' })
  })

  test.each(['false', '(exit 1)', '(exit 2)', '/nowhere/shim'])(
    'exits with 2 when the guard is the command %s',
    (fails) => {
      expect(run(refusing(fails))).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('could not be reached, so this is refused'),
      })
    },
  )
})

test('the refusing command allows a previously blocked stop when the guard is gone', () => {
  expect(run(refusingStopCommand('false'), ACTIVE).status).toBe(1)
  expect(run(refusingStopCommand('true'), ACTIVE).status).toBe(0)
  expect(run(refusingStopCommand('false'), SAID).status).toBe(2)
})
