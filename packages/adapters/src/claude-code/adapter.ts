import path from 'node:path'
import {
  type Adapter,
  type ExaminedPlace,
  type Finding,
  type InitTarget,
  TOKEN_VARIABLE,
} from '../base/adapter.ts'
import { claudeVersion } from './capabilities.ts'
import { claudeCode, claudeCodeByCommand } from './claude-code.ts'
import { claudeHookSettings } from './hook-settings.ts'

const file: InitTarget['file'] = (scope, { dir, env, home }) =>
  scope === 'project'
    ? path.join(dir, '.claude/settings.local.json')
    : path.join(env['CLAUDE_CONFIG_DIR'] || path.join(home, '.claude'), 'settings.json')

/** Claude Code runs no hooks at all if one of its settings disables them. */
async function examine(place: ExaminedPlace): Promise<readonly Finding[]> {
  const files = [
    file('project', place),
    file('user', place),
    path.join(place.dir, '.claude/settings.json'),
  ]
  return files
    .filter((each) => /"disableAllHooks"\s*:\s*true/.test(place.readText(each) ?? ''))
    .map((each) => ({
      code: 'disabled',
      message: `${each} sets "disableAllHooks": true, so no hook runs. Remove that setting.`,
    }))
}

export const claudeCodeAdapter: Adapter = {
  name: 'claude-code',
  title: 'Claude Code',
  asks: 'http hooks, command hooks',
  peers: [],
  daemon: {
    hooks: (way) => (way === 'command' ? claudeCodeByCommand : claudeCode),
    versionFrom: claudeVersion,
  },
  init: {
    program: 'claude',
    tellsVersion: true,
    hasHttp: true,
    asking: ['PreToolUse', 'Stop', 'SubagentStop'],
    call: { hook_event_name: 'PreToolUse' },
    file,
    content: ({ command, http }) => ({
      kind: 'hooks',
      hooks: claudeHookSettings({
        command: { command: `${command} || exit 2` },
        ...(http === null
          ? {}
          : { http: { url: `${http}/hook/claude-code`, tokenVariable: TOKEN_VARIABLE } }),
      }),
      base: {},
      hasComments: false,
    }),
    afterwards: (_, { http, token }) =>
      http === null
        ? []
        : [
            `Start Claude Code with the daemon's token: ${TOKEN_VARIABLE}="$(cat '${token}')" claude`,
          ],
    examine,
  },
}
