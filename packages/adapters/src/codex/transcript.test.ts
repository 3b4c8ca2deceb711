import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { answer, call, command, item, meta, tokens } from './test/rollout.ts'
import { CodexTranscript } from './transcript.ts'

const read = (...lines: readonly string[]) => new CodexTranscript(lines.join('\n'), 'turn-1')

describe('the end of a call in the session file of Codex', () => {
  test.each([
    ['a command that exits 0', command('c', 0), { outcome: 'success', durationMs: 1500 }],
    ['a command that exits 3', command('c', 3), { outcome: 'failure', error: 'Exit code 3.' }],
    [
      'a command that the user declined',
      item({ type: 'CommandExecution', id: 'c', status: 'declined', exit_code: -1 }),
      { outcome: 'denied' },
    ],
    [
      'a command without an exit code',
      item({ type: 'CommandExecution', id: 'c', status: 'completed' }),
      { outcome: 'unknown' },
    ],
    [
      'a patch',
      item({ type: 'FileChange', id: 'c', status: 'completed', changes: {} }),
      { outcome: 'success' },
    ],
    [
      'a failed tool of an MCP server',
      item({ type: 'McpToolCall', id: 'c', server: 's', tool: 't', status: 'failed' }),
      { outcome: 'failure' },
    ],
    [
      'an unknown status',
      item({ type: 'FileChange', id: 'c', status: 'perhaps' }),
      { outcome: 'unknown' },
    ],
  ])('is found: %s', (_, line, ending) => {
    expect(read(line).findEnding('c')).toMatchObject(ending)
  })

  test('the end of a call in the session file of Codex is not reported for other items, calls and turns', () => {
    const transcript = read(
      item({ type: 'AgentMessage', id: 'm', status: 'completed' }),
      item({ type: 'FileChange', id: 'old', status: 'completed' }, 'turn-0'),
    )
    for (const id of ['m', 'c', 'old']) expect(transcript.findEnding(id)).toBeUndefined()
  })
})

describe('calls of Codex without a hook', () => {
  test('include a failed MCP tool immediately', () => {
    const failed = item({
      type: 'McpToolCall',
      id: 'c',
      server: 'lab',
      tool: 'bad',
      arguments: { a: 1 },
      status: 'failed',
    })
    expect(read(failed).results()).toMatchObject([
      { tool: 'mcp__lab__bad', input: { a: 1 }, callId: 'c', outcome: 'failure' },
    ])
  })

  test('reports a patch sent as a command once the model has its result', () => {
    const asked = call('c', 'exec_command', { cmd: 'apply_patch <<E' })
    const done = item({ type: 'FileChange', id: 'c', status: 'completed' })
    expect(read(asked, done).results()).toEqual([])
    expect(read(asked, done, answer('c', 'Success.')).results()).toMatchObject([
      { tool: 'Bash', input: { command: 'apply_patch <<E' }, callId: 'c', outcome: 'success' },
    ])
  })

  test('include a patch that does not apply', () => {
    const text = 'apply_patch verification failed: no such file'
    expect(read(call('c', 'apply_patch', '*** x'), answer('c', text)).results()).toMatchObject([
      { tool: 'apply_patch', input: { command: '*** x' }, outcome: 'failure', error: text },
    ])
  })

  test('exclude a command that continues in the background', () => {
    const asked = call('c', 'exec_command', { cmd: 'sleep 9' })
    const running = answer('c', 'Process running with session ID 7')
    expect(read(asked, running).results()).toEqual([])
  })

  test('include text typed into a running command', () => {
    const asked = call('c', 'write_stdin', { session_id: 7, chars: 'rm -r x\n' })
    expect(read(asked, answer('c', 'ok')).unasked()).toMatchObject([
      { tool: 'write_stdin', callId: 'c', outcome: 'unknown' },
    ])
  })

  test("exclude a read of the command's output", () => {
    const asked = call('c', 'write_stdin', { session_id: 7 })
    expect(read(asked, answer('c', 'ok')).unasked()).toEqual([])
  })

  test('include a nonexistent tool', () => {
    const asked = call('c', 'fly', {})
    expect(read(asked, answer('c', 'unsupported call: fly')).unasked()).toMatchObject([
      { tool: 'fly', outcome: 'invalid' },
    ])
  })
})

test('the session file of Codex provides the version and the last usage', () => {
  const transcript = read(meta('0.169.0'), tokens(100, 10), tokens(250, 30))
  expect(transcript.version).toBe('0.169.0')
  expect(transcript.usage()).toEqual({
    evaluation_id: 'codex',
    input_tokens: 250,
    output_tokens: 30,
  })
  expect(transcript.usage('a1')).toMatchObject({ evaluation_id: 'codex a1' })
  expect(read().usage()).toBeNull()
  expect(read().version).toBeNull()
})

test('the session file of Codex is read despite truncated and unknown lines', () => {
  const cut = command('x', 0).slice(40)
  expect(read(cut, '{"payload": "item_completed"', command('c', 0)).findEnding('c')).toBeDefined()
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), (payloads) => {
      const lines = payloads.map((payload) => JSON.stringify({ a: '"item_completed"', payload }))
      const transcript = read(...lines)
      expect([...transcript.results(), ...transcript.unasked()]).toEqual([])
    }),
  )
})
