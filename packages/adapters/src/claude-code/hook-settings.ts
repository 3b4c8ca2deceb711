import type { JsonObject } from '@signalbox/core'

export interface ClaudeHookSettings {
  /** The daemon's endpoint. Cheaper than a command, and used for every call if given. */
  readonly http?: {
    readonly url: string
    /** Name of the environment variable with the daemon's token, which the settings file never contains. Absent: no token. */
    readonly tokenVariable?: string
  }
  /** The shim. Handles stops even if `http` is given: when the guard fails there, Claude obeys only the exit status of a command. */
  readonly command?: { readonly command: string; readonly args?: readonly string[] }
  /** Seconds allowed for the approval of a call. Absent: 600. */
  readonly timeoutSeconds?: number
}

const NOTES = ['UserPromptSubmit', 'PostToolUse', 'PostToolUseFailure', 'SessionEnd'] as const
const STOPS = ['Stop', 'SubagentStop'] as const

/** Header in which an HTTP hook sends the version of Claude; `claudeVersion` reads it. */
export const CLAUDE_AGENT_HEADER = 'x-signalbox-agent'

/** Value for the key `hooks` of `.claude/settings.json`. Throws RangeError if neither endpoint is given. */
export function claudeHookSettings(settings: ClaudeHookSettings): JsonObject {
  const { http, command, timeoutSeconds: timeout = 600 } = settings
  const byHttp = http === undefined ? null : { ...httpHook(http), timeout }
  const byCommand = command === undefined ? null : { ...commandHook(command), timeout }
  const callHook = byHttp ?? byCommand
  const stopHook = byCommand ?? byHttp
  if (callHook === null || stopHook === null)
    throw new RangeError('Pass an http endpoint, a command, or both.')
  return Object.fromEntries([
    // Claude calls no HTTP hook at the start of a session. Every other event begins the session as well.
    ...(byCommand === null ? [] : [['SessionStart', hooks(byCommand)] as const]),
    // Only here: on a prompt, `onFailure` would block the user's message, and elsewhere it changes nothing.
    ['PreToolUse', hooks({ ...callHook, onFailure: 'block' })],
    ...NOTES.map((event) => [event, hooks(callHook)] as const),
    ['PostToolBatch', hooks(byHttp ?? { ...callHook, ...complaint(command) })],
    ...STOPS.map((event) => [event, hooks(stopHook)] as const),
  ])
}

/** After a batch, exit status 2 would end the whole run. With 1 the agent continues, and its calls are refused without the daemon. */
function complaint(command: ClaudeHookSettings['command']): JsonObject {
  if (command === undefined || command.args !== undefined) return {}
  return { command: `( ${command.command} ) || exit 1` }
}

function hooks(hook: JsonObject): readonly JsonObject[] {
  return [{ hooks: [hook] }]
}

function httpHook({ url, tokenVariable }: NonNullable<ClaudeHookSettings['http']>): JsonObject {
  const token = tokenVariable === undefined ? {} : { authorization: `Bearer $${tokenVariable}` }
  return {
    type: 'http',
    url,
    headers: { [CLAUDE_AGENT_HEADER]: '$AI_AGENT', traceparent: '$TRACEPARENT', ...token },
    allowedEnvVars: [
      'AI_AGENT',
      'TRACEPARENT',
      ...(tokenVariable === undefined ? [] : [tokenVariable]),
    ],
  }
}

function commandHook({ command, args }: NonNullable<ClaudeHookSettings['command']>): JsonObject {
  return { type: 'command', command, ...(args === undefined ? {} : { args }) }
}
