// Law: a call that the source denies or asks about is never plainly allowed by the imported config, unless the report says that the entry
// is not carried. The readings of the sources below are independent of the converter.

import type { JsonObject } from '@signalbox/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeJudge } from '../test/permission-files.ts'
import { importPermissions, type PermissionSource, type ReportLine } from './index.ts'

const HOME = '/home/dev'
const FOLDER = `${HOME}/app`

interface Call {
  readonly tool: string
  readonly args: JsonObject
}

/** Commands of a chain, as the agents split it. Words in the generated commands contain none of these signs. */
function splitChain(command: string): readonly string[] {
  return command.split(/&&|\|\||;|\|&|\||&|\n/).map((part) => part.trim())
}

/** Claude Code ignores wrappers, variables before a command, and redirections. */
function bareCommand(command: string): string {
  return command
    .replace(/\s*\d?[<>].*$/, '')
    .replace(/^(?:(?:[A-Z_]+=\S+|nohup|time|timeout \d+|nice)\s+)+/, '')
}

function wildcard(pattern: string): RegExp {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's')
}

function matchesCommand(pattern: string, command: string): boolean {
  const whole = pattern.replace(/:\*$/, ' *')
  const isBare = whole.endsWith(' *') && command === whole.slice(0, -2)
  return isBare || wildcard(whole).test(command)
}

function matchSegments(pattern: readonly string[], path: readonly string[]): boolean {
  const [first, ...rest] = pattern
  // A folder that matches includes everything below it.
  if (first === undefined) return true
  if (first === '**') {
    if (rest.length === 0) return true
    return path.some((_, i) => matchSegments(rest, path.slice(i)))
  }
  const [name, ...below] = path
  if (name === undefined) return false
  const fits = new RegExp(`^${wildcard(first).source.slice(1, -1).replaceAll('.*', '[^/]*')}$`)
  return fits.test(name) && matchSegments(rest, below)
}

/** `path`: absolute. */
function matchesPath(pattern: string, path: string): boolean {
  const [base, glob] = pattern.startsWith('//')
    ? ['/', pattern.slice(2)]
    : pattern.startsWith('~/')
      ? [`${HOME}/`, pattern.slice(2)]
      : [`${FOLDER}/`, pattern.replace(/^\.?\//, '')]
  if (!path.startsWith(base)) return false
  const segments = glob.split('/')
  const anywhere =
    segments.length === 1 && !/^[./]*\//.test(pattern) ? ['**', ...segments] : segments
  return matchSegments(anywhere, path.slice(base.length).split('/'))
}

const READERS = /^(?:cat|head -n 5|tee|sed -i s) (\S+)$/

const NATIVES: { readonly [tool: string]: readonly string[] } = {
  shell: ['Bash'],
  read_file: ['Read'],
  edit_file: ['Edit'],
  write_file: ['Write', 'Edit'],
  web_fetch: ['WebFetch'],
  web_search: ['WebSearch'],
  task: ['Agent', 'Task'],
}

/** True if Claude Code applies the rule to the call. */
function claudeApplies(rule: string, call: Call): boolean {
  const { tool, args } = call
  const [, name = '', inside] = /^([^(]+)(?:\((.*)\))?$/.exec(rule) ?? []
  const natives = NATIVES[tool] ?? [tool]
  if (inside === undefined) {
    const isServer = /^mcp__\w+?$/.test(name) && !name.slice(5).includes('__')
    return isServer
      ? tool.startsWith(`${name}__`)
      : natives.some((native) => wildcard(name).test(native))
  }
  if (name === 'Read' || name === 'Edit') return pathApplies(name, inside, call)
  if (!natives.includes(name)) return false
  switch (name) {
    case 'Bash':
      return splitChain(String(args['command'])).some((part) =>
        [part, bareCommand(part)].some((one) => matchesCommand(inside, one)),
      )
    case 'WebFetch':
      return wildcard(inside).test(`domain:${new URL(String(args['url'])).hostname}`)
    default:
      return (args['subagent_type'] ?? 'general-purpose') === inside
  }
}

function pathApplies(name: string, glob: string, { tool, args }: Call): boolean {
  const isEdit = tool === 'edit_file' || tool === 'write_file'
  if (isEdit || (tool === 'read_file' && name === 'Read'))
    return matchesPath(glob, String(args['file_path']))
  if (tool !== 'shell') return false
  return splitChain(String(args['command'])).some((part) => {
    const command = bareCommand(part)
    const [, path] = READERS.exec(command) ?? []
    if (path === undefined || (/^(?:cat|head)/.test(command) && name === 'Edit')) return false
    if (path.startsWith('/')) return matchesPath(glob, path)
    // One of the limits that every report states.
    const coversFolder = matchesPath(glob, FOLDER)
    return !coversFolder && matchesPath(glob, `${FOLDER}/${path}`)
  })
}

const pick = <Value>(...values: readonly Value[]) => fc.constantFrom(...values)

const word = pick('git', 'rm', 'npm', 'push', 'run', 'test', '-rf', '--force', 'main', 'a.b', 'x-y')
const words = fc.array(word, { minLength: 1, maxLength: 4 }).map((all) => all.join(' '))
const commandPattern = fc
  .tuple(words, pick('', ':*', ' *', '*', ' * main', ' *:*'))
  .map(([start, end]) => `${start}${end}`)
const name = pick('.env', 'secrets', 'src', 'key.pem', '.ssh', 'a', 'deep')
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((all) => all.join('/'))
const glob = fc
  .tuple(
    pick('', './', '/', '~/', '//home/', '**/'),
    fc.array(fc.oneof(name, pick('*', '**', '*.pem', '.env*')), { minLength: 1, maxLength: 3 }),
    pick('', '/**', '/'),
  )
  .map(([start, middle, end]) => `${start}${middle.join('/')}${end}`.replace(/\/$/, ''))
const host = pick('example.com', 'paste.example.com', 'pastebin.com', 'bad.test')

const claudeRule = fc.oneof(
  commandPattern.map((pattern) => `Bash(${pattern})`),
  glob.map((pattern) => `Read(${pattern})`),
  glob.map((pattern) => `Edit(${pattern})`),
  fc.oneof(host, pick('*.example.com')).map((domain) => `WebFetch(domain:${domain})`),
  pick('Agent(deployer)', 'Task(general-purpose)', 'mcp__a', 'mcp__a__*', 'mcp__b__Drop', 'Web*'),
  pick('Bash', 'WebSearch', 'Write', 'mcp__a__read', 'PowerShell', 'Skill(x)'),
)

const quoted = fc.tuple(word, pick('', '"', "'")).map(([text, quote]) => `${quote}${text}${quote}`)

const oneCommand = fc.oneof(
  words,
  fc
    .tuple(pick('nohup', 'timeout 5', 'CI=1', 'time nice'), words)
    .map(([before, command]) => `${before} ${command}`),
  fc.tuple(words, pick('> out', '2>&1', '< in')).map(([command, into]) => `${command} ${into}`),
  fc
    .tuple(
      pick('cat', 'head -n 5', 'tee', 'sed -i s'),
      pick('', './', `${FOLDER}/`, `${HOME}/`),
      path,
    )
    .map(([program, base, file]) => `${program} ${base}${file}`),
)
const command = fc
  .array(fc.tuple(oneCommand, pick(' && ', ' || ', '; ', ';', ' | ', '\n', ' & ', '&&')), {
    minLength: 1,
    maxLength: 3,
  })
  .map((all) => all.map(([text, sign], i) => (i === 0 ? text : `${sign}${text}`)).join(''))

const claudeCall: fc.Arbitrary<Call> = fc.oneof(
  command.map((text) => ({ tool: 'shell', args: { command: text } })),
  fc
    .tuple(pick('read_file', 'edit_file', 'write_file'), pick(FOLDER, HOME, '/etc'), path)
    .map(([tool, base, file]) => ({ tool, args: { file_path: `${base}/${file}` } })),
  fc
    .tuple(pick('https://', 'http://me@', 'HTTPS://'), host, pick('', '/a?b=c', ':8080/', '#x'))
    .map(([start, domain, end]) => ({
      tool: 'web_fetch',
      args: { url: `${start}${domain}${end}` },
    })),
  pick<Call>(
    { tool: 'task', args: { subagent_type: 'deployer' } },
    { tool: 'task', args: {} },
    { tool: 'web_search', args: { query: 'a' } },
    { tool: 'mcp__a__read', args: {} },
    { tool: 'mcp__b__Drop', args: {} },
  ),
)

interface Entry {
  readonly effect: 'deny' | 'ask'
  readonly rule: string
}

/** Checks the law for one call. `applies`: the source's own reading of each entry. */
function expectNotWeaker(
  source: PermissionSource,
  text: string,
  {
    call,
    entries,
    applies,
  }: {
    readonly call: Call
    readonly entries: readonly Entry[]
    readonly applies: (entry: Entry, line: ReportLine) => boolean
  },
): void {
  const file = {
    name: source === 'codex' ? 'a.rules' : 'settings.json',
    level: 'user',
    text,
  } as const
  const { document, lines } = importPermissions(source, [file], { ns: 'a', key: 'b' })
  expect(lines).toHaveLength(entries.length)
  const carried = entries.filter((entry, i) => {
    const line = lines[i]
    return line !== undefined && line.conversion !== 'not_carried' && applies(entry, line)
  })
  const verdict = makeJudge(document)(call.tool, call.args)
  if (carried.some(({ effect }) => effect === 'deny')) expect(verdict).toBe('denied')
  else if (carried.length > 0) expect(verdict).not.toBe('allowed')
}

test('a call that Claude Code denies or asks about is never plainly allowed by the imported config', () => {
  fc.assert(
    fc.property(
      fc.array(claudeRule, { maxLength: 4 }),
      fc.array(claudeRule, { maxLength: 3 }),
      claudeCall,
      (deny, ask, call) => {
        const text = JSON.stringify({ permissions: { deny, ask } })
        const entries = [
          ...deny.map((rule) => ({ effect: 'deny' as const, rule })),
          ...ask.map((rule) => ({ effect: 'ask' as const, rule })),
        ]
        const applies = ({ rule }: Entry) => claudeApplies(rule, call)
        expectNotWeaker('claude', text, { call, entries, applies })
      },
    ),
  )
})

const token = fc.oneof(
  word.map((text) => [text]),
  fc.array(word, { minLength: 1, maxLength: 3 }),
)

test('a command that rules of Codex forbid or prompt for is never plainly allowed by the imported config', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          decision: pick('forbidden', 'prompt', 'allow'),
          pattern: fc.array(token, { minLength: 1, maxLength: 3 }),
        }),
        { maxLength: 4 },
      ),
      fc.array(fc.array(quoted, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 3 }),
      pick(' && ', '; ', ' | ', '\n'),
      (rules, chain, sign) => {
        const text = rules
          .map(
            ({ decision, pattern }) =>
              `prefix_rule(\n  pattern = ${JSON.stringify(pattern)}, # choice\n  decision = '${decision}',\n)\n`,
          )
          .join('')
        const command = chain.map((parts) => parts.join(' ')).join(sign)
        const plain = chain.map((parts) => parts.map((part) => part.replaceAll(/["']/g, '')))
        const applies = (entry: Entry): boolean => {
          const rule = rules[Number(entry.rule)]
          if (rule === undefined || rule.decision === 'allow') return false
          return plain.some((parts) =>
            rule.pattern.every((choice, i) => choice.includes(parts[i] ?? '')),
          )
        }
        const entries = rules.map(({ decision }, i) => ({
          effect: decision === 'forbidden' ? ('deny' as const) : ('ask' as const),
          rule: String(i),
        }))
        expectNotWeaker('codex', text, {
          call: { tool: 'shell', args: { command } },
          entries,
          applies,
        })
      },
    ),
  )
})
