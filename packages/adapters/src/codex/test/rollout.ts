// Lines of a session file as Codex 0.169.0 writes them, without fields that are not read.
const TURN = 'turn-1'

function line(type: string, payload: object): string {
  return JSON.stringify({ timestamp: '2026-11-21T10:44:50.936Z', type, payload })
}

export function meta(version: string): string {
  return line('session_meta', { session_id: 's', cwd: '/w', cli_version: version, source: 'exec' })
}

export function item(fields: object, turn: string = TURN): string {
  return line('event_msg', { type: 'item_completed', turn_id: turn, item: fields })
}

export function command(id: string, exitCode: number): string {
  return item({
    type: 'CommandExecution',
    id,
    command: ['/bin/bash', '-lc', 'make'],
    status: exitCode === 0 ? 'completed' : 'failed',
    exit_code: exitCode,
    duration: { secs: 1, nanos: 500_000_000 },
  })
}

const PASSED = { internal_chat_message_metadata_passthrough: { turn_id: TURN } }

export function call(call_id: string, name: string, input: object | string): string {
  const rest = { call_id, name, ...PASSED }
  return typeof input === 'string'
    ? line('response_item', { type: 'custom_tool_call', input, ...rest })
    : line('response_item', { type: 'function_call', arguments: JSON.stringify(input), ...rest })
}

export function answer(call_id: string, output: unknown): string {
  return line('response_item', { type: 'function_call_output', call_id, output, ...PASSED })
}

export function tokens(input: number, output: number): string {
  const total = { input_tokens: input, output_tokens: output, total_tokens: input + output }
  return line('event_msg', { type: 'token_count', info: { total_token_usage: total } })
}
