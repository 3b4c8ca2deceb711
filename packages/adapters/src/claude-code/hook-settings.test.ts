import { isJsonObject, type JsonObject } from '@signalbox/core'
import { describe, expect, test } from 'vitest'
import { claudeHookSettings } from './hook-settings.ts'

describe('hook settings for Claude Code', () => {
  const http = { url: 'http://127.0.0.1:7777/hook/claude-code', tokenVariable: 'SIGNALBOX_TOKEN' }
  const command = { command: '/usr/bin/signalbox-hook', args: ['claude-code'] }

  test('use HTTP hooks for calls and command hooks for stops', () => {
    expect(listHookWays(claudeHookSettings({ http, command }))).toEqual([
      ['SessionStart', 'command', null],
      ['PreToolUse', 'http', 'block'],
      ['UserPromptSubmit', 'http', null],
      ['PostToolUse', 'http', null],
      ['PostToolUseFailure', 'http', null],
      ['SessionEnd', 'http', null],
      ['PostToolBatch', 'http', null],
      ['Stop', 'command', null],
      ['SubagentStop', 'command', null],
    ])
  })

  test('hook settings for Claude Code do not end the run when a command fails after a batch', () => {
    const settings = claudeHookSettings({ command: { command: 'ask || exit 2' } })
    expect(settings['PostToolBatch']).toEqual([
      { hooks: [{ type: 'command', command: '( ask || exit 2 ) || exit 1', timeout: 600 }] },
    ])
    expect(JSON.stringify(settings).match(/exit 1/g)).toHaveLength(1)
  })

  test('hold no token, only the name of its variable', () => {
    expect(claudeHookSettings({ http })['PreToolUse']).toEqual([
      {
        hooks: [
          {
            type: 'http',
            url: http.url,
            headers: {
              'x-signalbox-agent': '$AI_AGENT',
              traceparent: '$TRACEPARENT',
              authorization: 'Bearer $SIGNALBOX_TOKEN',
            },
            allowedEnvVars: ['AI_AGENT', 'TRACEPARENT', 'SIGNALBOX_TOKEN'],
            timeout: 600,
            onFailure: 'block',
          },
        ],
      },
    ])
  })

  test('require at least one mechanism', () => {
    expect(() => claudeHookSettings({})).toThrow(RangeError)
  })
})

function listHookWays(settings: JsonObject) {
  return Object.entries(settings).map(([event, matchers]) => {
    const [matcher] = Array.isArray(matchers) ? matchers : []
    const hooks = isJsonObject(matcher) ? matcher['hooks'] : []
    const [hook] = Array.isArray(hooks) ? hooks : []
    return isJsonObject(hook) ? [event, hook['type'], hook['onFailure'] ?? null] : [event]
  })
}
