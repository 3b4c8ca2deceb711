// Where each harness keeps its hooks, and what it must find there.
import fs from 'node:fs'
import path from 'node:path'
import { claudeHookSettings } from '@signalbox/adapters/claude-code'
import { codexHooks } from '@signalbox/adapters/codex'
import { copilotHooks } from '@signalbox/adapters/copilot'
import { geminiCliHooks } from '@signalbox/adapters/gemini-cli'
import { OPENCODE_PLUGIN_FILE } from '@signalbox/adapters/opencode'
import type { JsonObject, JsonValue } from '@signalbox/core'
import { shimCall } from '../shim/write-shim.ts'
import type { Surroundings } from '../surroundings.ts'
import type { HookSettings } from './merge-hooks.ts'

export type Scope = 'project' | 'user'

/** How the hooks reach the daemon. */
export interface Reach {
  /** Absolute path of the shim. */
  readonly shim: string
  /** The daemon's socket; null: the default one. */
  readonly socket: string | null
  /** Address of the daemon on the loopback interface; null: everything goes by the shim. */
  readonly http: string | null
  /** Of the harness; null: not known, or its hooks say it themselves. */
  readonly version: string | null
}

export interface Target {
  /** As people call it on the command line. */
  readonly name: string
  /** As the daemon calls it. */
  readonly harness: string
  /** The program, as it is found on PATH. */
  readonly program: string
  /** Its hooks do not tell the version, so that the shim must. */
  readonly tellsVersion: boolean
  /** Below the project's folder, or the harness's own folder of the user. */
  readonly file: (scope: Scope, dir: string, around: Surroundings) => string
  /** A file of ours alone, or hooks among other settings. */
  readonly content: (reach: Reach) => FileContent
  /** Events whose hooks must refuse when they fail: about calls and stops. The others tell, and may fail. */
  readonly asking: readonly string[]
  /** A hook about a call, as far as the harness must name it to be refused one. */
  readonly call: JsonObject
  /** What remains to be done by people, one sentence each. */
  readonly afterwards: (scope: Scope, reach: Reach) => readonly string[]
}

export type FileContent =
  | { readonly kind: 'hooks'; readonly settings: HookSettings }
  | { readonly kind: 'whole'; readonly text: string; readonly mark: string }

/** Holds the daemon's token for http hooks. */
export const TOKEN_VARIABLE = 'SIGNALBOX_DAEMON_TOKEN'

const inProject = (project: string, user: (around: Surroundings) => string) => {
  return (scope: Scope, dir: string, around: Surroundings) =>
    scope === 'project' ? path.join(dir, project) : user(around)
}

function call({ shim, version }: Reach, harness: string): string {
  return `${shimCall(shim, harness)}${version === null ? '' : ` ${version}`}`
}

function hooks(
  harness: string,
  hooksFor: (reach: Reach) => JsonObject,
  rest: Partial<Pick<HookSettings, 'base' | 'hasComments'>> = {},
): (reach: Reach) => FileContent {
  return (reach) => ({
    kind: 'hooks',
    settings: {
      hooks: hooksFor(reach),
      isOurs: (entry) => names(entry, `-hook' ${harness}`) || names(entry, `/hook/${harness}`),
      base: {},
      hasComments: false,
      ...rest,
    },
  })
}

function names(value: JsonValue, text: string): boolean {
  return JSON.stringify(value).includes(text)
}

export const TARGETS: readonly Target[] = [
  {
    name: 'claude-code',
    harness: 'claude-code',
    program: 'claude',
    tellsVersion: true,
    asking: ['PreToolUse', 'Stop', 'SubagentStop'],
    call: { hook_event_name: 'PreToolUse' },
    file: inProject('.claude/settings.local.json', ({ env, home }) =>
      path.join(env['CLAUDE_CONFIG_DIR'] || path.join(home, '.claude'), 'settings.json'),
    ),
    content: hooks('claude-code', (reach) =>
      claudeHookSettings({
        command: { command: `${call(reach, 'claude-code')} || exit 2` },
        ...(reach.http === null
          ? {}
          : { http: { url: `${reach.http}/hook/claude-code`, tokenVariable: TOKEN_VARIABLE } }),
      }),
    ),
    afterwards: (_, { http, shim }) =>
      http === null
        ? []
        : [
            `Start Claude Code with the daemon's token: ${TOKEN_VARIABLE}="$(cat '${shim.slice(0, -'-hook'.length)}.token')" claude`,
          ],
  },
  {
    name: 'codex',
    harness: 'codex',
    program: 'codex',
    tellsVersion: true,
    asking: ['PreToolUse', 'Stop', 'SubagentStop'],
    call: { hook_event_name: 'PreToolUse' },
    file: inProject('.codex/hooks.json', ({ env, home }) =>
      path.join(env['CODEX_HOME'] || path.join(home, '.codex'), 'hooks.json'),
    ),
    content: hooks('codex', (reach) => codexHooks(call(reach, 'codex'))),
    afterwards: (scope) => [
      `Codex skips hooks that its user has not trusted: start codex${scope === 'project' ? ' in this project' : ''} and trust them, then run "signalbox doctor".`,
    ],
  },
  {
    name: 'gemini',
    harness: 'gemini-cli',
    program: 'gemini',
    tellsVersion: false,
    asking: ['BeforeTool', 'AfterAgent'],
    call: { hook_event_name: 'BeforeTool' },
    file: inProject('.gemini/settings.json', ({ home }) =>
      path.join(home, '.gemini', 'settings.json'),
    ),
    content: hooks('gemini-cli', (reach) => geminiCliHooks(call(reach, 'gemini-cli')), {
      hasComments: true,
    }),
    afterwards: (scope) =>
      scope === 'project'
        ? ['Gemini CLI runs hooks of a project only in a folder that it trusts.']
        : [],
  },
  {
    name: 'copilot',
    harness: 'copilot',
    program: 'copilot',
    tellsVersion: false,
    asking: ['preToolUse', 'agentStop'],
    call: { toolName: 'canary' },
    file: inProject('.github/hooks/signalbox.json', ({ env, home }) =>
      path.join(env['COPILOT_HOME'] || path.join(home, '.copilot'), 'hooks', 'signalbox.json'),
    ),
    content: hooks('copilot', (reach) => copilotHooks(call(reach, 'copilot')), {
      base: { version: 1 },
    }),
    afterwards: (scope) =>
      scope === 'project'
        ? ['Copilot CLI runs hooks of a project only in a folder that it trusts.']
        : [],
  },
  {
    name: 'opencode',
    harness: 'opencode',
    program: 'opencode',
    tellsVersion: true,
    asking: [],
    call: { kind: 'before' },
    file: inProject('.opencode/plugin/signalbox.js', ({ env, home }) =>
      path.join(
        env['XDG_CONFIG_HOME'] || path.join(home, '.config'),
        'opencode',
        'plugin',
        'signalbox.js',
      ),
    ),
    content: () => ({
      kind: 'whole',
      text: fs.readFileSync(OPENCODE_PLUGIN_FILE, 'utf8'),
      mark: 'Signalbox daemon',
    }),
    afterwards: (_, { socket }) =>
      socket === null ? [] : [`Start opencode with SIGNALBOX_SOCKET='${socket}'.`],
  },
]
