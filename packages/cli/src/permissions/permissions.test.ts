// Imported permissions: the conversion of every entry, the decisions of the rules, and the law that they are never weaker than the source.

import { claudeCode } from '@signalbox/adapters/claude-code'
import type { JsonObject } from '@signalbox/core'
import { celExpressions } from '@signalbox/core/expression'
import { lintConfig } from '@signalbox/core/lint'
import { parseConfigText } from '@signalbox/wire'
import { describe, expect, test } from 'vitest'
import { Unusable } from '../base/io.ts'
import {
  CODEX_PROJECT,
  CODEX_RULES,
  DATA_PROJECT,
  makeJudge,
  type Verdict,
  WEB_PROJECT,
} from '../test/permission-files.ts'
import { CLAUDE_NAMES } from './claude-rule.ts'
import { readCodexRules } from './codex-rules.ts'
import {
  importPermissions,
  type Level,
  MAX_BYTES,
  MAX_ENTRIES,
  type PermissionFile,
  type PermissionSource,
} from './index.ts'

const PROMPT = { ns: 'team', key: 'coder' }

function imported(source: PermissionSource, texts: { readonly [name: string]: string }) {
  const files = Object.entries(texts).map(([name, text]) => ({
    name,
    level: 'project' as const,
    text,
  }))
  return importPermissions(source, files, PROMPT)
}

function conversions({ lines }: ReturnType<typeof importPermissions>) {
  return lines.map(({ entry, conversion }) => `${conversion}: ${entry}`)
}

const settings = (permissions: JsonObject, more: JsonObject = {}) =>
  JSON.stringify({ permissions, ...more })

const at = (name: string, level: Level, text: string): PermissionFile => ({ name, level, text })

describe('files in the shape of public projects', () => {
  const web = imported('claude', { 'settings.json': WEB_PROJECT })
  const data = imported('claude', { 'settings.json': DATA_PROJECT })
  const codex = imported('codex', { 'config.toml': CODEX_PROJECT, 'default.rules': CODEX_RULES })

  test("the report of a web application's settings has one line for each entry", () => {
    expect(conversions(web)).toEqual([
      'not_needed: allow Bash(npm run lint)',
      'not_needed: allow Bash(npm run test:*)',
      'not_needed: allow Edit(src/**)',
      'stricter: ask Bash(git push:*)',
      'stricter: ask Bash(npm publish:*)',
      'stricter: ask Edit(./infra/**)',
      'stricter: deny Read(./.env)',
      'stricter: deny Read(./.env.*)',
      'stricter: deny Read(./secrets/**)',
      'stricter: deny Bash(curl:*)',
      'stricter: deny Bash(rm -rf *)',
      'stricter: deny WebFetch(domain:pastebin.com)',
      'not_carried: defaultMode acceptEdits',
      'not_needed: additionalDirectories ../docs/',
      'not_carried: hook PostToolUse Edit|Write: command npx prettier --write',
    ])
  })

  test("the report of a data team's settings has one line for each entry", () => {
    expect(conversions(data)).toEqual([
      'not_needed: allow mcp__postgres__query',
      'not_needed: allow WebSearch',
      'exact: ask mcp__github__create_pull_request',
      'stricter: ask mcp__slack',
      'stricter: ask Agent(deployer)',
      'exact: deny mcp__Warehouse__dropTable',
      'exact: deny mcp__github__delete_*',
      'exact: deny NotebookEdit',
      'stricter: deny Read(~/.aws/**)',
      'not_carried: defaultMode default',
      'not_needed: disableBypassPermissionsMode disable',
      'exact: disabledMcpjsonServers filesystem',
      'not_needed: enabledMcpjsonServers postgres',
    ])
    expect(data.document.aliases).toEqual({
      mcp__Warehouse__dropTable: 'mcp__warehouse__droptable',
    })
  })

  test("the report of a library's Codex files has one line for each entry", () => {
    expect(conversions(codex)).toEqual([
      'not_needed: approval_policy = "on-request"',
      'not_carried: sandbox_mode = "workspace-write"',
      'not_carried: sandbox_workspace_write.network_access = false',
      'not_needed: sandbox_workspace_write.writable_roots = ["/var/cache/build"]',
      'stricter: profiles.careful.approval_policy = "untrusted"',
      'not_carried: profiles.fast.approval_policy = "never"',
      'not_needed: projects."/home/dev/lib".trust_level = "trusted"',
      'exact: mcp_servers.docs.enabled_tools = ["search","open"]',
      'exact: mcp_servers.tickets.disabled_tools = ["close"]',
      'exact: mcp_servers.tickets.tools.create.approval_mode = "prompt"',
      'exact: mcp_servers.legacy.enabled = false',
      'stricter: line 3: prefix_rule( pattern = ["git", ["push", "fetch"]], decision = "prompt", match = ["git push origin main"], )',
      'stricter: line 8: prefix_rule(pattern = ["rm", "-rf"], decision = "forbidden", justification = "Use trash.")',
      'not_needed: line 9: prefix_rule(pattern = ["cargo", "test"], decision = "allow")',
      'not_needed: line 10: host_executable(name = "git", paths = ["/usr/bin/git"])',
      'not_carried: line 11: load("other.rules", "rule")',
    ])
  })

  test.each<[string, ReturnType<typeof importPermissions>]>([
    ['a web application', web],
    ['a data team', data],
    ['a library', codex],
  ])('the config of %s is valid, and every rule is named by a line', (_, { document, lines }) => {
    const parsed = parseConfigText(JSON.stringify(document))
    expect(parsed).toMatchObject({ ok: true })
    const problems = lintConfig(document, { expressions: celExpressions(), customTypes: [] })
    expect(problems.filter(({ code }) => code !== 'unreachable_tool')).toEqual([])
    const named = new Set(lines.flatMap(({ rules }) => rules))
    expect(new Set(document.policies?.map(({ id }) => id))).toEqual(named)
  })

  test.each<[Verdict, ReturnType<typeof importPermissions>, string, JsonObject]>([
    ['denied', web, 'shell', { command: 'cd x && rm -rf y' }],
    ['denied', web, 'shell', { command: 'timeout 5 curl http://example.com' }],
    ['denied', web, 'shell', { command: 'cat .env' }],
    ['denied', web, 'read_file', { file_path: '/home/me/app/.env.local' }],
    ['denied', web, 'edit_file', { file_path: '/home/me/app/secrets/key.pem' }],
    ['denied', web, 'web_fetch', { url: 'https://PASTEBIN.com/raw/1' }],
    ['asked', web, 'shell', { command: 'git push --force' }],
    ['asked', web, 'edit_file', { file_path: '/home/me/app/infra/main.tf' }],
    ['allowed', web, 'shell', { command: 'npm run test:unit' }],
    ['allowed', web, 'shell', { command: 'rmdir old && git status' }],
    ['allowed', web, 'read_file', { file_path: '/home/me/app/environment.ts' }],
    ['allowed', web, 'grep', { pattern: 'secrets/' }],
    ['allowed', web, 'web_fetch', { url: 'https://example.com/a%20b' }],
    ['denied', data, 'mcp__Warehouse__dropTable', {}],
    ['denied', data, 'mcp__github__delete_repo', {}],
    ['denied', data, 'mcp__slack__post', {}],
    ['denied', data, 'mcp__filesystem__write', {}],
    ['denied', data, 'notebook_edit', { file_path: 'a.ipynb' }],
    ['asked', data, 'mcp__github__create_pull_request', {}],
    ['asked', data, 'task', { subagent_type: 'deployer' }],
    ['allowed', data, 'task', { subagent_type: 'explorer' }],
    ['allowed', data, 'mcp__postgres__query', {}],
    ['asked', codex, 'shell', { command: 'ls' }],
    ['denied', codex, 'shell', { command: '/bin/rm -rf build' }],
    ['asked', codex, 'delete_file', { file_path: 'a' }],
    ['denied', codex, 'mcp__docs__write', {}],
    ['allowed', codex, 'mcp__docs__search', {}],
    ['denied', codex, 'mcp__tickets__close', {}],
    ['asked', codex, 'mcp__tickets__create', {}],
    ['denied', codex, 'mcp__legacy__anything', {}],
  ])('a call is %s', (...[verdict, { document }, tool, args]) => {
    expect(makeJudge(document)(tool, args)).toBe(verdict)
  })
})

describe('precedence', () => {
  test('the default mode of the highest file applies, and lists of rules add up', () => {
    const { lines } = importPermissions(
      'claude',
      [
        at('user', 'user', settings({ deny: ['WebSearch'], defaultMode: 'plan' })),
        at('local', 'local', settings({ deny: ['WebFetch'], defaultMode: 'bypassPermissions' })),
      ],
      PROMPT,
    )
    expect(lines.map(({ file, entry, conversion }) => [file, entry, conversion])).toEqual([
      ['local', 'deny WebFetch', 'exact'],
      ['local', 'defaultMode bypassPermissions', 'not_needed'],
      ['user', 'deny WebSearch', 'exact'],
      ['user', 'defaultMode plan', 'not_needed'],
    ])
  })

  test('managed settings can switch off the rules and hooks of all other files', () => {
    const hooks = { Stop: [{ hooks: [{ type: 'command', command: 'a' }] }] }
    const { lines, document } = importPermissions(
      'claude',
      [
        at('project', 'project', settings({ deny: ['WebSearch'] }, { hooks })),
        at(
          'managed',
          'managed',
          settings(
            { deny: ['WebFetch'] },
            { allowManagedPermissionRulesOnly: true, allowManagedHooksOnly: true, hooks },
          ),
        ),
      ],
      PROMPT,
    )
    expect(lines.map(({ conversion }) => conversion)).toEqual([
      ...['exact', 'not_carried', 'not_needed', 'not_needed'],
      ...['not_needed', 'not_needed'],
    ])
    expect(document.policies).toMatchObject([{ tools: ['web_fetch'] }])
  })

  test('requirements of an administrator replace a policy that they do not accept', () => {
    const { lines, document } = importPermissions(
      'codex',
      [
        at('config.toml', 'user', 'approval_policy = "never"\nsandbox_mode = "read-only"'),
        at('requirements.toml', 'managed', 'allowed_approval_policies = ["untrusted"]'),
      ],
      PROMPT,
    )
    expect(lines.map(({ entry, conversion }) => `${conversion}: ${entry}`)).toEqual([
      'stricter: allowed_approval_policies = ["untrusted"]',
      'not_needed: approval_policy = "never"',
      'not_carried: sandbox_mode = "read-only"',
    ])
    expect(makeJudge(document)('shell', { command: 'ls' })).toBe('asked')
  })

  test('requirements of an administrator carry their rules and unreadable files', () => {
    const text = `
[rules]
prefix_rules = [
  { pattern = [{ token = "sudo" }], decision = "forbidden" },
  { pattern = [{ any_of = ["dd", "mkfs"] }], decision = "prompt" },
]
[permissions.filesystem]
deny_read = ["~/.ssh/**"]
`
    const { document } = importPermissions(
      'codex',
      [at('requirements.toml', 'managed', text)],
      PROMPT,
    )
    const judge = makeJudge(document)
    expect(judge('shell', { command: 'sudo ls' })).toBe('denied')
    expect(judge('shell', { command: 'mkfs /dev/sda' })).toBe('asked')
    expect(judge('read_file', { file_path: '/home/me/.ssh/id' })).toBe('denied')
    expect(judge('shell', { command: 'ls' })).toBe('allowed')
  })
})

describe('bounds', () => {
  test.each<[string, PermissionSource, string, RegExp]>([
    [
      'text that is not JSON',
      'claude',
      '{"deny": []}}',
      /settings is not valid JSON: line 1, unexpected }\.$/,
    ],
    ['a list', 'claude', '[]', /holds no settings/],
    ['permissions that are no object', 'claude', '{"permissions": []}', /not an object/],
    ['deep nesting', 'claude', '['.repeat(500), /nested too deeply/],
    ['text that is not TOML', 'codex', 'a = ', /settings is not TOML/],
    ['too large a file', 'claude', ' '.repeat(MAX_BYTES + 1), /larger than 1 MiB/],
    [
      'too many entries',
      'claude',
      settings({ deny: Array.from({ length: MAX_ENTRIES + 1 }, (_, i) => `Bash(a${i})`) }),
      /5001 entries/,
    ],
  ])('%s is refused', (...[, source, text, message]) => {
    const run = () => imported(source, { settings: text })
    expect(run).toThrow(Unusable)
    expect(run).toThrow(message)
  })

  test('more than four files are refused', () => {
    const files = Array.from({ length: 5 }, (_, i) => at(`${i}`, 'user', '{}'))
    expect(() => importPermissions('claude', files, PROMPT)).toThrow(/at most 4 files/)
  })

  test('the most entries become one valid config that decides', () => {
    const deny = Array.from({ length: MAX_ENTRIES }, (_, i) =>
      i % 2 === 0 ? `Bash(tool-${i} run:*)` : `Read(./folder-${i}/**)`,
    )
    const { document, lines } = imported('claude', { settings: settings({ deny }) })
    expect(lines.every(({ rules }) => rules.length > 0)).toBe(true)
    expect(parseConfigText(JSON.stringify(document))).toMatchObject({ ok: true })
    const judge = makeJudge(document)
    expect(judge('shell', { command: 'tool-4000 run' })).toBe('denied')
    expect(judge('read_file', { file_path: '/a/folder-4001/b' })).toBe('denied')
    expect(judge('shell', { command: 'ls' })).toBe('allowed')
  })
})

test('the names of tools are those of the adapter', () => {
  const { TaskList, ...tools } = claudeCode.profile(null).tools
  expect(TaskList?.name).toBe('TaskList')
  expect(CLAUDE_NAMES).toEqual(
    Object.fromEntries(Object.entries(tools).map(([native, { name }]) => [native, name])),
  )
})

test.each([
  ['prefix_rule(pattern = ["a"', null],
  ['x = 1', null],
  ['prefix_rule(["a"])', null],
  ['prefix_rule(pattern = f("a"))', null],
  ['prefix_rule(pattern = ["a\\n"])', null],
  ["prefix_rule(pattern = ['it\\'s'], ok = True)", 'prefix_rule'],
])('the rule %s is read only if its arguments are literals', (text, call) => {
  expect(readCodexRules(text)).toMatchObject([{ line: 1, text, call }])
})

test.each<[string, string, string]>([
  ['deny', 'Bash(', 'not_carried'],
  ['deny', 'Read(!src/**)', 'not_carried'],
  ['deny', 'Skill(deploy)', 'not_carried'],
  ['deny', 'WebFetch(https://a)', 'not_carried'],
  ['deny', 'Monitor', 'not_carried'],
  ['ask', 'Agent(model:opus)', 'not_carried'],
  ['deny', `Bash(${'a'.repeat(200)})`, 'not_carried'],
  ['deny', 'Skill', 'exact'],
  ['deny', 'Bash', 'stricter'],
  ['deny', '*', 'exact'],
  ['deny', 'Read', 'exact'],
  ['deny', 'Read(*)', 'not_carried'],
  ['deny', 'Read(/**)', 'not_carried'],
  ['deny', 'Bash(command:rm *)', 'not_needed'],
  ['deny', 'Write(docs/**)', 'stricter'],
])('%s %s is %s', (effect, rule, conversion) => {
  expect(imported('claude', { a: settings({ [effect]: [rule] }) }).lines).toMatchObject([
    { conversion },
  ])
})
