import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { compileConfig, initialState, step } from '@signalbox/core'
import { celExpressions } from '@signalbox/core/expression'
import { createGuardrails, type GuardedSession } from '@signalbox/runtime'
import { parseConfigText } from '@signalbox/wire'
import { afterAll, describe, expect, test } from 'vitest'
import { skewText } from '@/components/runtimes/runtime-words.ts'
import { run } from '@/packages/cli/src/run.ts'
import { makeSurroundings, recordIo } from '@/packages/cli/src/test/command-parts.ts'
import { ROOT } from './product-process.ts'
import { listDocumentedTexts } from './troubleshooting.ts'

const texts = listDocumentedTexts()
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-troubleshooting-'))
afterAll(() => fs.rmSync(folder, { recursive: true }))

const expressions = celExpressions()
const NAMES = { schema_version: 1, ns: 'team', key: 'coder' }

/** `isReviewed`: there is a reviewer, who never answers. */
function open(parts: object, { isReviewed = false } = {}): GuardedSession {
  const parsed = parseConfigText(JSON.stringify({ ...NAMES, ...parts }))
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  const approvals = { decide: () => new Promise<never>(() => undefined) }
  const guardrails = createGuardrails({
    config: parsed.document,
    expressions,
    ...(isReviewed ? { approvals } : {}),
  })
  return guardrails.openSession({ workspaceRoot: folder })
}

/** Reason of the last call; the earlier ones succeed. */
async function callAll(session: GuardedSession, calls: readonly (readonly [string, object])[]) {
  let reason = ''
  for (const [tool, args] of calls) {
    const verdict = await session.beforeToolCall({ tool, args })
    reason = verdict.allowed ? '' : verdict.reason
    if (verdict.allowed)
      await session.afterToolCall({ tool, args, callId: verdict.callId, outcome: 'success' })
  }
  return reason
}

const rule = (type: string, settings: object) => ({ policies: [{ id: 'rule', type, ...settings }] })
const denied = (type: string, settings: object, args: object = {}) =>
  callAll(open(rule(type, settings)), [['deploy', args]])
const blocked = async (checker: object): Promise<string> => {
  const session = open({ task_completion_checker: { id: 'done', ...checker } })
  return (await session.beforeStop({ via: 'turn_end' })).message ?? ''
}
const READ_FIRST = { read_tools: ['read_file'], write_tools: ['write_file'] }

async function overwrite(file: string, before: () => void): Promise<string> {
  const session = open(rule('read_before_write', READ_FIRST))
  fs.writeFileSync(path.join(folder, 'read.txt'), 'one')
  await callAll(session, [['read_file', { file_path: 'read.txt' }]])
  before()
  return await callAll(session, [['write_file', { file_path: file }]])
}

function order(action: 'pause' | 'end'): string {
  const compiled = compileConfig({ schema_version: 1, ns: 'team', key: 'coder' })
  if (!compiled.ok) throw new Error('The config is valid.')
  const told = { session: 'sess_1', seq: 1, at: 1 }
  const data = { action, by: 'Ana', reason: 'Stop.', counter: 1 }
  const { state } = step(compiled.config, initialState('team/coder'), {
    ...told,
    type: 'session.controlled',
    data,
  })
  const call = { call_id: 'c', tool: 'deploy', args: {} }
  const next = { ...told, seq: 2, type: 'tool.requested', data: call } as const
  const [effect] = step(compiled.config, state, next).effects
  return effect?.kind === 'tool.decided' ? (effect.data.reason ?? '') : ''
}

/** Output of a command in an empty project. */
async function command(
  words: string,
  {
    env = {},
    file = '',
    input = '',
  }: { env?: Record<string, string>; file?: string; input?: string } = {},
): Promise<string> {
  const { io, out } = recordIo({ readText: async () => file })
  const around = makeSurroundings({
    env: { PATH: path.join(folder, 'bin'), ...env },
    cwd: folder,
    home: folder,
    readInput: async () => input,
  })
  await run(words.split(' '), { ...io, err: io.out }, around)
  return out.join('\n')
}

const NOWHERE = {
  SIGNALBOX_URL: 'http://127.0.0.1:9',
  SIGNALBOX_API_KEY: `sbx_${'0'.repeat(8)}_${'k'.repeat(43)}`,
}

async function withServer<Result>(
  answer: string,
  work: (port: number) => Promise<Result>,
): Promise<Result> {
  const server = net.createServer((socket) => void socket.end(answer))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  try {
    return await work(address.port)
  } finally {
    server.close()
  }
}

/** By the documented text: the product's own, through the entry point that shows it. */
const TRIGGERS: Readonly<Record<string, () => string | Promise<string>>> = {
  'Denied by policy.': () =>
    denied('expression', { tools: ['deploy'], deny_when: 'args.force == true' }, { force: true }),
  "Tool '…' requires: …": () =>
    denied('sequential_dependency', { dependencies: { deploy: ['build'] } }),
  "File '…' must be read before overwriting.": () =>
    overwrite('other.txt', () => fs.writeFileSync(path.join(folder, 'other.txt'), '')),
  "File '…' changed since it was read. Read it again before overwriting.": () =>
    overwrite('read.txt', () => fs.writeFileSync(path.join(folder, 'read.txt'), 'another')),
  "File '…' is outside the workspace.": () => overwrite('../a.txt', () => undefined),
  "Rule '…' could not be evaluated.": () =>
    denied('expression', { tools: ['deploy'], deny_when: 'args.missing == 1' }),
  "Tool '…' needs approval, and nobody can be asked.": () =>
    denied('approval', { tools: ['deploy'], timeout_seconds: 10 }),
  "Tool '…' was not approved within … seconds.": () =>
    callAll(
      open(rule('approval', { tools: ['deploy'], timeout_seconds: 1 }), { isReviewed: true }),
      [['deploy', {}]],
    ),
  "Tool '…' is limited to … per …. Try again in ….": () =>
    callAll(open(rule('rate_limit', { tools: ['deploy'], max_calls: 1, per_seconds: 60 })), [
      ['deploy', {}],
      ['deploy', {}],
    ]),
  'Missing required files: …': () => blocked({ type: 'files_exist', files: ['CHANGELOG.md'] }),
  'Tasks are incomplete.': () => blocked({ type: 'expression', require: 'false' }),
  'LLM verification required but no adapter available.': () =>
    blocked({ type: 'llm_judge', criteria: 'Is it done?' }),
  'Paused by …: …': () => order('pause'),
  'Ended by …: …': () => order('end'),
  'No guardrail config is in force yet, so every tool call is denied.': async () => {
    const { SIGNALBOX_URL: url, SIGNALBOX_API_KEY: apiKey } = NOWHERE
    const dataDir = path.join(folder, 'data')
    const guardrails = createGuardrails({ url, apiKey, dataDir, prompt: 'team/coder' })
    const reason = await callAll(guardrails.openSession({}), [['deploy', {}]])
    await guardrails.close(1)
    return reason
  },
  'The Signalbox daemon does not answer on …, so this is refused.': () =>
    command('hook claude-code', {
      input: JSON.stringify({
        hook_event_name: 'PreToolUse',
        session_id: 's',
        tool_name: 'Bash',
        tool_input: {},
      }),
    }),
  'No Signalbox hooks are set. Set them with: signalbox init …': () =>
    command('doctor claude-code'),
  'No daemon answers on …': () => command('doctor claude-code'),
  'The daemon cannot listen on 127.0.0.1:…: it is in use. Choose another with --port': () =>
    withServer('', (port) =>
      command(`daemon --config a.json --port ${port}`, { file: JSON.stringify(NAMES) }),
    ),
  '… does not answer: …': () => command('runtimes list', { env: NOWHERE }),
  '… responded with … and no JSON. Is it a Signalbox server?': () =>
    withServer('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi', (port) =>
      command('runtimes list', { env: { ...NOWHERE, SIGNALBOX_URL: `http://127.0.0.1:${port}` } }),
    ),
  'Set SIGNALBOX_API_KEY to …': () =>
    command('runtimes list', { env: { SIGNALBOX_URL: NOWHERE.SIGNALBOX_URL } }),
  '… ahead of the server': () => skewText(90_000),
  '… behind the server': () => skewText(-90_000),
  'The field "…" is not known here. Remove it.': () =>
    command('lint a.json', { file: JSON.stringify({ ...NAMES, color: 'red' }) }),
}

/** Without comments and tests. */
const sources = spawnSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' })
  .stdout.split('\n')
  .filter((file) => /^(packages\/\w+\/src|server|scripts|components)\/.*\.(tsx?|mjs)$/.test(file))
  .filter((file) => !/\.test\.tsx?$|\/test\//.test(file))
  .map((file) => fs.readFileSync(path.join(ROOT, file), 'utf8'))
  .map((source) => source.replaceAll(/^\s*(\/\/|\/?\*).*$/gm, ''))

describe('docs/troubleshooting.md', () => {
  test('each text is listed once', () => {
    const all = texts.map(({ text }) => text)
    expect(all.length).toBeGreaterThan(40)
    expect(new Set(all).size).toBe(all.length)
  })

  test.each(Object.entries(TRIGGERS))('%s is what the product answers', async (text, trigger) => {
    const documented = texts.find((one) => one.text === text)
    expect(await trigger()).toMatch(documented?.pattern ?? 'missing in the document')
  })

  test('every text for agents is triggered', () => {
    const agents = texts.filter(({ section }) => section === 'The agent reads')
    expect(agents.map(({ text }) => text).filter((text) => !(text in TRIGGERS))).toEqual([])
  })

  // Those of the start are also triggered by start-failures.boot.test.ts.
  test.each(texts.filter(({ text }) => !(text in TRIGGERS)))(
    '$text occurs in the sources',
    ({ pattern }) => {
      expect(sources.filter((source) => pattern.test(source)).length).toBeGreaterThan(0)
    },
  )
})
