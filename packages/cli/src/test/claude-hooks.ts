export interface ClaudeHooks {
  readonly pre: (tool: string, id: string, input?: object) => object
  readonly post: (tool: string, id: string, input?: object) => object
  readonly stop: () => object
  readonly end: () => object
}

export function claudeHooks(session: string, cwd: string): ClaudeHooks {
  const base = {
    session_id: session,
    transcript_path: '/dev/null',
    cwd,
    permission_mode: 'default',
  }
  const call = (tool_name: string, tool_use_id: string, tool_input: object) => ({
    ...base,
    tool_name,
    tool_use_id,
    tool_input,
  })
  return {
    pre: (tool, id, input = {}) => ({ hook_event_name: 'PreToolUse', ...call(tool, id, input) }),
    post: (tool, id, input = {}) => ({
      hook_event_name: 'PostToolUse',
      ...call(tool, id, input),
      tool_response: { stdout: '', stderr: '', interrupted: false },
    }),
    stop: () => ({ hook_event_name: 'Stop', ...base, stop_hook_active: false }),
    end: () => ({ hook_event_name: 'SessionEnd', ...base, reason: 'exit' }),
  }
}
